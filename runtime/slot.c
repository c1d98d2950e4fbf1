/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.c - the file of a profile: its header, its slots, and their owners
 *
 * No process waits for another.  A process with read access only can lock parts of the file, and
 * any process may be stopped at any time: so the set of slots changes by atomic operations on a
 * mapping of the file, which any other process can complete.  A lock marks the owner of a slot.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/wide.h"

#include <asm/errno.h>
#include <sys/mman.h>

/* The total time that a process may wait, in milliseconds. */
enum { PATIENCE = 1000 };
static unsigned waited;

/* The mapped header of the open profile. */
static struct ldx_profile_header *header;
/* Which file a profile is: no other has these numbers while it is mapped. */
static struct file {
	dev_t device;
	ino_t inode;
} opened, entered; /* entered: the slot of this process is there */
/* A page to be written, or a slot's header that was read: on no stack, which may be small. */
static union {
	struct ldx_profile_header h;
	struct ldx_slot_header slot;
	char page[LDX_PAGE];
	uint64_t word[LDX_PAGE / 8];
} scratch;

static bool no_room(long result)
{
	return __ldx_failed("no room for the counters", result);
}

static bool try_lock(int fd, short type, uint64_t at)
{
	struct flock l = {.l_type = type, .l_whence = 0, .l_start = (off_t)at, .l_len = 1};
	return !sys_failed(sys_lock(fd, F_OFD_SETLK, &l)) || __ldx_failed("it cannot be locked", 0);
}

/*
 * Byte 0 is locked during the search for a slot, so that hosts that share the file see each
 * other's writes.  Nothing else relies on it.
 */
static void take_turn(int fd)
{
	const struct timespec tick = {0, 1000000};
	for (; !try_lock(fd, F_WRLCK, 0) && waited < PATIENCE; waited++) {
		struct flock l = {.l_type = F_WRLCK, .l_whence = 0, .l_start = 0, .l_len = 1};
		if (sys_failed(sys_lock(fd, F_OFD_GETLK, &l)) || l.l_type == F_RDLCK)
			return; /* no locks here, or a process with read access only has it */
		sys_nanosleep(&tick);
	}
}

/* May this process make a file of this size?  Else it would get SIGXFSZ. */
static bool size_allowed(uint64_t size)
{
	struct rlimit r;
	return (!sys_failed(sys_getrlimit(RLIMIT_FSIZE, &r)) && size <= r.rlim_cur) ||
		no_room(-EFBIG);
}

static void scratch_clear(void)
{
	for (size_t i = 0; i < sizeof scratch.word / sizeof *scratch.word; i++)
		scratch.word[i] = 0;
}

/*
 * Allocate disk space for each page, so that writes through a mapping cannot fail.  On a
 * filesystem without that call, append zeros at the current end of the file: other processes may
 * append too, and nothing must be overwritten.
 */
static bool reserve(int fd, uint64_t at, uint64_t n)
{
	struct stat st;
	if (!size_allowed(at + n))
		return false;
	long r = sys_allocate(fd, at, n);
	if (r != -EOPNOTSUPP && r != -ENOSYS && r != -EINVAL && r != -EPERM)
		return !r || no_room(r);
	scratch_clear();
	while (!sys_failed(sys_stat_fd(fd, &st)) && (uint64_t)st.st_size < at + n)
		if (!size_allowed((uint64_t)st.st_size + LDX_PAGE) ||
			sys_append(fd, scratch.page, LDX_PAGE) <= 0)
			return no_room(0);
	return true;
}

static void *map_page(int fd, uint64_t at)
{
	long r = sys_mmap(NULL, LDX_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (!sys_failed(r))
		return (void *)r;
	__ldx_failed("it cannot be mapped", r);
	return NULL;
}

/*
 * Have the page of a slot's header in memory, by its unused end: a fault would read up to
 * megabytes behind it.
 */
static bool page_make(int fd, uint64_t at)
{
	const uint64_t unused = 0;
	return sys_pwrite(fd, &unused, sizeof unused, at + LDX_PAGE - sizeof unused) ==
		sizeof unused ||
		no_room(0);
}

static void put_path(char *to, size_t n, const char *from)
{
	for (size_t i = 0; i + 1 < n && from[i]; i++)
		to[i] = from[i];
}

static bool write_header(int fd, const struct rt_start *s)
{
	struct ldx_profile_header *h = &scratch.h;
	scratch_clear();
	h->magic = LDX_PROFILE_MAGIC;
	h->build = __ldx_build;
	h->end = LDX_PAGE;
	put_path(h->program, sizeof h->program, __ldx_name.program);
	for (size_t i = 0; s && i + 1 < sizeof h->command && i < s->command_size; i++)
		h->command[i] = s->command[i];
	if (sys_pwrite(fd, scratch.page, LDX_PAGE, 0) == LDX_PAGE)
		return true;
	sys_truncate_fd(fd, 0);
	return no_room(0);
}

/* Make the directories on the path of name, which is unchanged afterwards. */
static void make_directories(char *name)
{
	for (char *p = name + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			sys_mkdir(name, 0777);
			*p = '/';
		}
}

enum { OPEN = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

static int how_to_open(void)
{
	return __ldx_named ? OPEN : OPEN | O_NOFOLLOW;
}

/* Makes directories at the start only: later the program may have another root directory. */
static int open_file(char *name, bool start)
{
	int flags = how_to_open() | O_CREAT;
	long fd = sys_open(name, flags, 0666);
	if (fd == -ENOENT && start && __ldx_name_given()) {
		make_directories(name);
		fd = sys_open(name, flags, 0666);
	}
	if (fd < 0)
		__ldx_failed("it cannot be opened", fd);
	return (int)fd;
}

static bool size_valid(uint64_t size)
{
	return size >= LDX_PAGE && size % LDX_PAGE == 0 && size < WIDE_MAX;
}

/* Other processes may extend the file: read the end from the header first, then the size. */
static bool header_fits(int fd)
{
	struct stat st;
	uint64_t end = wide_load(&header->end);
	return (header->magic == LDX_PROFILE_MAGIC && header->build == __ldx_build &&
		       size_valid(end) && !sys_failed(sys_stat_fd(fd, &st)) &&
		       end <= (uint64_t)st.st_size) ||
		__ldx_failed("it is of another build, or no profile", 0);
}

int __ldx_profile_open(char *name, const struct rt_start *s, bool *other)
{
	struct stat st;
	*other = false;
	int fd = name && size_allowed(2 * LDX_PAGE + __ldx_cells_size()) ? open_file(name, s) : -1;
	if (fd < 0)
		return -1;
	take_turn(fd);
	if (sys_failed(sys_stat_fd(fd, &st)) || !S_ISREG(st.st_mode)) {
		__ldx_failed("it is not a file", 0);
	} else if (st.st_size > 0 || write_header(fd, s)) {
		header = map_page(fd, 0);
		if (header && header_fits(fd)) {
			opened = (struct file){st.st_dev, st.st_ino};
			return fd;
		}
		*other = header;
		if (header)
			sys_munmap(header, LDX_PAGE);
	}
	sys_close(fd);
	return -1;
}

/* The lock of a slot that was taken stays with the mapping of the slot. */
void __ldx_profile_close(int fd)
{
	sys_munmap(header, LDX_PAGE);
	try_lock(fd, F_UNLCK, 0);
	sys_close(fd);
}

static uint64_t rows_of(uint64_t size)
{
	return (size_t)(size - LDX_PAGE) / (size_t)__ldx_cells_size();
}

/*
 * Finds and locks an unowned slot of this object with at least *rows rows; *found 0: there is
 * none.  False: the slots are damaged.
 */
static bool slot_find(int fd, uint64_t *rows, uint64_t *found)
{
	struct ldx_slot_header *h = &scratch.slot;
	uint64_t end = wide_load(&header->end), at = LDX_PAGE;
	for (*found = 0; at < end; at += h->size) {
		if (sys_pread(fd, h, offsetof(struct ldx_slot_header, object), at) < 0 ||
			!size_valid(h->size) || h->size > end - at)
			return __ldx_failed("it is damaged", 0);
		if (h->build == __ldx_info.build && h->ncounters == __ldx_info.ncounters &&
			rows_of(h->size) >= *rows && try_lock(fd, F_WRLCK, at)) {
			*rows = rows_of(h->size);
			*found = at;
			break;
		}
	}
	return true;
}

/* Claim the space behind the last slot, or move the end behind what another process has claimed. */
static bool slot_claim(struct ldx_slot_header *h, uint64_t at, uint64_t size)
{
	uint64_t taken = 0, end = at;
	bool mine = wide_exchange(&h->size, &taken, size);
	if (mine || size_valid(taken))
		wide_exchange(&header->end, &end, at + (mine ? size : taken));
	return mine;
}

/*
 * A process with read access only may hold read locks on the whole file.  It cannot prevent a
 * read lock here, and that excludes processes that search for a slot.  The build is written last:
 * until then no process recognises the slot as one of its object.
 */
static bool slot_fill(int fd, uint64_t at, struct ldx_slot_header *h)
{
	if (!try_lock(fd, F_RDLCK, at))
		return false;
	h->ncounters = __ldx_info.ncounters;
	h->flags = __ldx_info.flags & LDX_INFO_MARKS ? LDX_SLOT_MARKS : 0;
	put_path(h->object, sizeof h->object, __ldx_own);
	__ldx_rules_put(h + 1);
	wide_publish(&h->build, __ldx_info.build);
	return true;
}

/* Makes and locks a new slot; 0: it cannot be made. */
static uint64_t slot_append(int fd, uint64_t rows)
{
	uint64_t size = LDX_PAGE + rows * __ldx_cells_size(), at, last = 0;
	bool mine = false, filled = false;
	if (!try_lock(fd, F_RDLCK, 1)) /* are there locks here? */
		return 0;
	for (; !mine; last = at) {
		at = wide_load(&header->end);
		if (at == last || !reserve(fd, at, size) || !page_make(fd, at))
			return 0;
		struct ldx_slot_header *h = map_page(fd, at);
		if (!h)
			return 0;
		mine = slot_claim(h, at, size);
		filled = mine && slot_fill(fd, at, h);
		sys_munmap(h, LDX_PAGE);
	}
	return filled ? at : 0;
}

uint64_t __ldx_slot_take(int fd, uint64_t *rows)
{
	uint64_t owner[2] = {LDX_SLOT_USED, (uint64_t)sys_getpid()}; /* used, pid */
	uint64_t at;
	if (__ldx_control_fresh())
		at = 0;
	else if (!slot_find(fd, rows, &at))
		return 0;
	if (!at)
		at = slot_append(fd, *rows);
	else if (!reserve(fd, at, LDX_PAGE + *rows * __ldx_cells_size()))
		return 0;
	return at && sys_pwrite(fd, owner, sizeof owner, at) == sizeof owner ? at : 0;
}

/* Slots of brothers ---------------------------------------------------------- */

enum { VISITS = 3, BROTHERS = sizeof((struct ldx_slot_children *)NULL)->at / sizeof(uint64_t) };

/*
 * Children that end before the next one is forked, the common case, all find the same slot at once,
 * and only read.
 */
static uint64_t children_next(int fd, struct ldx_slot_children *c, uint64_t end)
{
	uint32_t n = c->n < BROTHERS ? c->n : BROTHERS;
	for (int i = 0; n && i < VISITS; i++) {
		uint64_t at = wide_load(&c->at[__atomic_load_n(&c->visits, __ATOMIC_SEQ_CST) % n]);
		if (at && at < end && try_lock(fd, F_WRLCK, at))
			return at;
		__atomic_fetch_add(&c->visits, 1, __ATOMIC_SEQ_CST);
	}
	return 0;
}

void __ldx_slot_begin(struct ldx_slot_children *c)
{
	for (uint32_t i = 0; i < BROTHERS; i++)
		c->at[i] = 0;
	c->n = c->visits = 0;
}

void __ldx_slot_opened(void)
{
	entered = opened;
}

int __ldx_slot_again(const char *name, struct ldx_slot_children *c, uint64_t *at)
{
	struct stat st;
	int fd = name && c->n && !__ldx_control_fresh() ? (int)sys_open(name, how_to_open(), 0)
							: -1;
	if (fd < 0)
		return -1;
	if (!sys_failed(sys_stat_fd(fd, &st)) && st.st_dev == entered.device &&
		st.st_ino == entered.inode && (*at = children_next(fd, c, (uint64_t)st.st_size)))
		return fd;
	sys_close(fd);
	return -1;
}

void __ldx_slot_note(struct ldx_slot_children *c, uint64_t at)
{
	for (uint32_t i = 0; i < BROTHERS; i++)
		if (wide_load(&c->at[i]) == at)
			return;
	uint32_t i = __atomic_fetch_add(&c->n, 1, __ATOMIC_SEQ_CST);
	if (i < BROTHERS)
		wide_publish(&c->at[i], at);
}
