/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.c - the file of a profile: its header, its slots, and whose they are
 *
 * Nobody is waited for.  Who may only read a file can lock parts of it all the same, and a
 * process may be stopped at any time: so the set of slots changes by atomic operations on a
 * mapping of the file, which any process that comes by can complete.  Locks say whose a slot is.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"

#include <asm/errno.h>
#include <sys/mman.h>

/* Milliseconds that a process waits, in all its life. */
enum { PATIENCE = 1000 };
static unsigned waited;

/* The header of the profile that is open, mapped. */
static struct ldx_profile_header *header;
/* A page that is to be written. */
static union {
	struct ldx_profile_header h;
	char page[LDX_PAGE];
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
 * Byte 0 is locked while slots are looked for, so that hosts which share the file see what
 * others have written.  Nothing else relies on it.
 */
static void take_turn(int fd)
{
	const struct timespec tick = {0, 1000000};
	for (; !try_lock(fd, F_WRLCK, 0) && waited < PATIENCE; waited++) {
		struct flock l = {.l_type = F_WRLCK, .l_whence = 0, .l_start = 0, .l_len = 1};
		if (sys_failed(sys_lock(fd, F_OFD_GETLK, &l)) || l.l_type == F_RDLCK)
			return; /* there are no locks here, or somebody who may only read has it */
		sys_nanosleep(&tick);
	}
}

/* May this process make a file that long?  Else it would get SIGXFSZ. */
static bool size_allowed(uint64_t size)
{
	struct rlimit r;
	return (!sys_failed(sys_getrlimit(RLIMIT_FSIZE, &r)) && size <= r.rlim_cur) ||
	       no_room(-EFBIG);
}

static void scratch_clear(void)
{
	for (size_t i = 0; i < sizeof scratch; i++)
		scratch.page[i] = 0;
}

/*
 * Give each page a place on the disk, so that writing to it through a mapping cannot fail.  On a
 * filesystem that has no call for it, write zeros behind the end of the file, wherever that is by
 * then: others may be at work there too, and nothing must be written over.
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

/* Make the directories that lead to name, which is as it was then. */
static void make_directories(char *name)
{
	for (char *p = name + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			sys_mkdir(name, 0777);
			*p = '/';
		}
}

/* Later, the program may be in another root directory: no directories are made there. */
static int open_file(char *name, bool start)
{
	int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	flags |= __ldx_named ? 0 : O_NOFOLLOW;
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
	return size >= LDX_PAGE && size % LDX_PAGE == 0 && size < (uint64_t)1 << 48;
}

/* The file may grow meanwhile: it is at least as long as its header said before. */
static bool header_fits(int fd)
{
	struct stat st;
	uint64_t end = __atomic_load_n(&header->end, __ATOMIC_SEQ_CST);
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
		if (header && header_fits(fd))
			return fd;
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
	return (size - LDX_PAGE) / __ldx_cells_size();
}

/*
 * A slot of this object with at least so many rows that nobody owns, locked; 0: there is none.
 * False: the slots are damaged.
 */
static bool slot_find(int fd, uint64_t *rows, uint64_t *found)
{
	struct ldx_slot_header h;
	uint64_t end = __atomic_load_n(&header->end, __ATOMIC_SEQ_CST), at = LDX_PAGE;
	for (*found = 0; at < end; at += h.size) {
		if (sys_pread(fd, &h, offsetof(struct ldx_slot_header, object), at) < 0 ||
			!size_valid(h.size) || h.size > end - at)
			return __ldx_failed("it is damaged", 0);
		if (h.build == __ldx_info.build && h.ncounters == __ldx_info.ncounters &&
			rows_of(h.size) >= *rows && try_lock(fd, F_WRLCK, at)) {
			*rows = rows_of(h.size);
			*found = at;
			break;
		}
	}
	return true;
}

/* Claim what is behind the last slot, or move the end behind what somebody else has claimed there. */
static bool slot_claim(struct ldx_slot_header *h, uint64_t at, uint64_t size)
{
	uint64_t taken = 0, end = at;
	bool mine = __atomic_compare_exchange_n(
		&h->size, &taken, size, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	if (mine || size_valid(taken))
		__atomic_compare_exchange_n(&header->end, &end, at + (mine ? size : taken), false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return mine;
}

/*
 * Somebody who may only read may have locked all there is; a lock for reading is one that he cannot
 * keep us from, and it keeps those off who look for a slot.  The build comes last: until then
 * nobody takes the slot for one of his.
 */
static bool slot_fill(int fd, uint64_t at, struct ldx_slot_header *h)
{
	if (!try_lock(fd, F_RDLCK, at))
		return false;
	h->ncounters = __ldx_info.ncounters;
	h->flags = __ldx_info.flags & LDX_INFO_MARKS ? LDX_SLOT_MARKS : 0;
	put_path(h->object, sizeof h->object, __ldx_own);
	__atomic_store_n(&h->build, __ldx_info.build, __ATOMIC_RELEASE);
	return true;
}

/* A new slot, locked; 0: there can be none. */
static uint64_t slot_append(int fd, uint64_t rows)
{
	uint64_t size = LDX_PAGE + rows * __ldx_cells_size(), at, last = 0;
	bool mine = false, filled = false;
	if (!try_lock(fd, F_RDLCK, 1)) /* are there locks here? */
		return 0;
	for (; !mine; last = at) {
		at = __atomic_load_n(&header->end, __ATOMIC_SEQ_CST);
		struct ldx_slot_header *h =
			at != last && reserve(fd, at, size) ? map_page(fd, at) : NULL;
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
	if (!slot_find(fd, rows, &at))
		return 0;
	if (!at)
		at = slot_append(fd, *rows);
	else if (!reserve(fd, at, LDX_PAGE + *rows * __ldx_cells_size()))
		return 0;
	return at && sys_pwrite(fd, owner, sizeof owner, at) == sizeof owner ? at : 0;
}
