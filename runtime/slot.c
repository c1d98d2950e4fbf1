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

/* A header being read or written. */
static union {
	struct ldx_profile_header h;
	struct ldx_slot_header slot;
	char page[LDX_PAGE];
} scratch;

_Static_assert(sizeof scratch == LDX_PAGE, "a header is one page");

/* Milliseconds, in the life of a process. */
enum { PATIENCE = 1000 };
static unsigned waited;

static uint64_t slot_size(uint64_t rows)
{
	return LDX_PAGE + rows * __ldx_cells_size();
}

static bool try_lock(int fd, short type, uint64_t at)
{
	struct flock l = {.l_type = type, .l_whence = 0, .l_start = (off_t)at, .l_len = 1};
	return !sys_failed(sys_lock(fd, F_OFD_SETLK, &l));
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

void __ldx_turn_over(int fd)
{
	try_lock(fd, F_UNLCK, 0);
}

/* May this process make a file that long?  Else it would get SIGXFSZ. */
static bool size_allowed(uint64_t size)
{
	struct rlimit r;
	return (!sys_failed(sys_getrlimit(RLIMIT_FSIZE, &r)) && size <= r.rlim_cur) ||
	       __ldx_failed("files may not be that long", 0);
}

/* Has this filesystem no fallocate(2)? */
static bool cannot_allocate(long r)
{
	return r == -EOPNOTSUPP || r == -ENOSYS || r == -EINVAL || r == -EPERM;
}

/*
 * Give each page of a slot that is ours a place on the disk, so that writing to it through a
 * mapping cannot fail.
 */
static bool reserve(int fd, uint64_t at, uint64_t n)
{
	long r = sys_allocate(fd, at, n);
	if (!cannot_allocate(r))
		return r == 0 || __ldx_failed("no room for the counters", r);
	for (uint64_t end = at + n; at < end; at += LDX_PAGE) {
		long got = sys_pread(fd, scratch.page, LDX_PAGE, at);
		if (got != LDX_PAGE || sys_pwrite(fd, scratch.page, LDX_PAGE, at) != LDX_PAGE)
			return __ldx_failed("no room for the counters", got);
	}
	return true;
}

static void scratch_clear(void)
{
	for (size_t i = 0; i < sizeof scratch; i++)
		scratch.page[i] = 0;
}

/* The same for what is behind the last slot, where others may be at work too: nothing is written over. */
static bool reserve_end(int fd, uint64_t at, uint64_t n)
{
	struct stat st;
	long r = sys_allocate(fd, at, n);
	if (!cannot_allocate(r))
		return r == 0 || __ldx_failed("no room for the counters", r);
	scratch_clear();
	while (!sys_failed(r = sys_stat_fd(fd, &st)) && (uint64_t)st.st_size < at + n) {
		size_t rest = (size_t)(LDX_PAGE - st.st_size % LDX_PAGE);
		if (!size_allowed((uint64_t)st.st_size + rest))
			return false;
		if ((r = sys_append(fd, scratch.page, rest)) <= 0)
			break;
	}
	return !sys_failed(r) || __ldx_failed("no room for the counters", r);
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
	long r = sys_pwrite(fd, scratch.page, LDX_PAGE, 0);
	if (r == LDX_PAGE)
		return true;
	sys_truncate_fd(fd, 0);
	return __ldx_failed("no room for the profile", r);
}

static bool header_fits(int fd, uint64_t size)
{
	const struct ldx_profile_header *h = &scratch.h;
	return sys_pread(fd, scratch.page, LDX_PAGE, 0) == LDX_PAGE &&
	       h->magic == LDX_PROFILE_MAGIC && h->build == __ldx_build && h->end >= LDX_PAGE &&
	       h->end <= size && h->end % LDX_PAGE == 0;
}

/* Make the directories that lead to name, which is as it was then. */
static void make_directories(char *name)
{
	for (char *p = name + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		sys_mkdir(name, 0777);
		*p = '/';
	}
}

static int open_file(char *name, bool start)
{
	int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	if (!__ldx_named)
		flags |= O_NOFOLLOW;
	long fd = sys_open(name, flags, 0666);
	/* later the program may be in another root directory */
	if (fd == -ENOENT && start && __ldx_name_given()) {
		make_directories(name);
		fd = sys_open(name, flags, 0666);
	}
	if (fd < 0)
		__ldx_failed("it cannot be opened", fd);
	return (int)fd;
}

int __ldx_profile_open(char *name, const struct rt_start *s, bool *other)
{
	struct stat st;
	*other = false;
	int fd = name && size_allowed(LDX_PAGE + slot_size(1)) ? open_file(name, s) : -1;
	if (fd < 0)
		return -1;
	if (sys_failed(sys_stat_fd(fd, &st)) || !S_ISREG(st.st_mode)) {
		__ldx_failed("it is not a file", 0);
		goto fail;
	}
	take_turn(fd);
	if (sys_failed(sys_stat_fd(fd, &st)))
		goto fail;
	if (st.st_size == 0) {
		if (!write_header(fd, s))
			goto fail;
	} else if (!header_fits(fd, (uint64_t)st.st_size)) {
		__ldx_failed("it is of another build, or no profile", 0);
		*other = true;
		goto fail;
	}
	return fd;
fail:
	sys_close(fd);
	return -1;
}

static uint64_t rows_of(uint64_t size)
{
	return (size - LDX_PAGE) / __ldx_cells_size();
}

static bool size_valid(uint64_t size)
{
	return size >= LDX_PAGE && size % LDX_PAGE == 0 && size < (uint64_t)1 << 48;
}

/*
 * A slot of this object with at least so many rows that nobody owns, locked; 0: there is none.
 * False: the slots are damaged.
 */
static bool slot_find(int fd, uint64_t *rows, uint64_t *found)
{
	const struct ldx_slot_header *h = &scratch.slot;
	uint64_t end = scratch.h.end, at = LDX_PAGE;
	*found = 0;
	for (; at < end; at += h->size) {
		if (sys_pread(fd, &scratch, sizeof *h, at) != sizeof *h || !size_valid(h->size) ||
			h->size > end - at)
			return __ldx_failed("the profile is damaged", 0);
		if (h->build != __ldx_info.build || h->ncounters != __ldx_info.ncounters ||
			rows_of(h->size) < *rows || !try_lock(fd, F_WRLCK, at))
			continue;
		*rows = rows_of(h->size);
		*found = at;
		return true;
	}
	return true;
}

static void *map_page(int fd, uint64_t at)
{
	long r = sys_mmap(NULL, LDX_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (sys_failed(r))
		__ldx_failed("it cannot be mapped", r);
	return sys_failed(r) ? NULL : (void *)r;
}

/*
 * A lock that a reader cannot take either, where somebody who may only read has not locked all
 * there is; else one that he cannot keep us from, and that keeps owners off as well.
 */
static bool own(int fd, uint64_t at)
{
	return try_lock(fd, F_WRLCK, at) || try_lock(fd, F_RDLCK, at) ||
	       __ldx_failed("it cannot be locked", 0);
}

/* The build comes last: by then the slot is locked, and until then nobody takes it for one of his. */
static void slot_fill(struct ldx_slot_header *h)
{
	h->ncounters = __ldx_info.ncounters;
	h->flags = __ldx_info.flags & LDX_INFO_MARKS ? LDX_SLOT_MARKS : 0;
	put_path(h->object, sizeof h->object, __ldx_own);
	__atomic_store_n(&h->build, __ldx_info.build, __ATOMIC_RELEASE);
}

/* Claim what is behind the last slot, or move the end behind what somebody else has claimed there. */
static bool slot_claim(struct ldx_profile_header *h, uint64_t at, uint64_t size,
	struct ldx_slot_header *there)
{
	uint64_t taken = 0, end = at;
	bool mine = __atomic_compare_exchange_n(
		&there->size, &taken, size, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	if (mine || size_valid(taken))
		__atomic_compare_exchange_n(&h->end, &end, at + (mine ? size : taken), false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return mine;
}

/* A new slot, locked; 0: there can be none. */
static uint64_t slot_append(int fd, uint64_t rows)
{
	uint64_t size = slot_size(rows), at = 0, last = 0;
	bool mine = false, locks = try_lock(fd, F_RDLCK, 1) || __ldx_failed("it cannot be locked", 0);
	struct ldx_profile_header *h = locks ? map_page(fd, 0) : NULL;
	while (h && !mine && (at = __atomic_load_n(&h->end, __ATOMIC_SEQ_CST)) != last) {
		if (!size_valid(at) || !size_allowed(at + size) || !reserve_end(fd, at, size))
			break;
		struct ldx_slot_header *there = map_page(fd, at);
		if (!there)
			break;
		mine = slot_claim(h, at, size, there);
		last = at;
		if (mine && own(fd, at))
			slot_fill(there);
		else if (mine)
			at = 0;
		sys_munmap(there, LDX_PAGE);
	}
	if (h)
		sys_munmap(h, LDX_PAGE);
	return mine ? at : 0;
}

uint64_t __ldx_slot_take(int fd, uint64_t *rows)
{
	uint64_t owner[2] = {1, (uint64_t)sys_getpid()}; /* used, pid */
	uint64_t at;
	if (!slot_find(fd, rows, &at))
		return 0;
	if (at && (!size_allowed(at + slot_size(*rows)) || !reserve(fd, at, slot_size(*rows))))
		return 0;
	if (!at)
		at = slot_append(fd, *rows);
	return at && sys_pwrite(fd, owner, sizeof owner, at) == sizeof owner ? at : 0;
}
