/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - a slot of the profile in place of the counters
 *
 * A slot of the file is mapped over the program's counters, so that counting is
 * writing to the file: nothing is left to do at exit, and no way to die loses a
 * count.  The owner's lock on its slot belongs to the open file description,
 * which lives on in the mapping after the descriptor is closed: the program
 * keeps all its descriptors, and a slot is free when its owner is gone, whatever
 * ended it.
 *
 * The counts of a dead owner stay where they are and the next one counts on from
 * them: the value of a counter is the sum over all slots.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"

#include <asm/errno.h>
#include <sys/mman.h>

#define PAGE __attribute__((aligned(LDX_PAGE)))

/* The header of the process's slot, mapped here once there is one. */
static union {
	struct ldx_slot_header h;
	char page[LDX_PAGE];
} PAGE slot;
/* A header being read or written. */
static union {
	struct ldx_profile_header h;
	struct ldx_slot_header slot;
	char page[LDX_PAGE];
} scratch;
uint64_t *__ldx_far;
static bool active;

_Static_assert(sizeof scratch == LDX_PAGE && sizeof slot == LDX_PAGE, "a header is one page");

uint64_t *__ldx_cells(void)
{
	if (__ldx_info.counters)
		return (uint64_t *)rt_at(&__ldx_info.counters);
	return (uint64_t *)LDX_CELLS;
}

uint64_t __ldx_cells_size(void)
{
	return (__ldx_info.ncounters * 8 + LDX_PAGE - 1) & ~(uint64_t)(LDX_PAGE - 1);
}

static bool has_marks(void)
{
	return __ldx_info.flags & LDX_INFO_MARKS;
}

static uint64_t slot_size(void)
{
	return LDX_PAGE + __ldx_cells_size();
}

/* Take the lock on one byte; wait for it if cmd is F_OFD_SETLKW. */
static bool take_lock(int fd, int cmd, uint64_t at)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = 0, .l_start = (off_t)at, .l_len = 1};
	long r;
	do
		r = sys_lock(fd, cmd, &l);
	while (r == -EINTR);
	return r == 0;
}

static void drop_lock(int fd, uint64_t at)
{
	struct flock l = {.l_type = F_UNLCK, .l_whence = 0, .l_start = (off_t)at, .l_len = 1};
	sys_lock(fd, F_OFD_SETLK, &l);
}

/* May this process make a file that long?  Else it would get SIGXFSZ. */
static bool size_allowed(uint64_t size)
{
	struct rlimit r;
	return !sys_failed(sys_getrlimit(RLIMIT_FSIZE, &r)) && size <= r.rlim_cur;
}

/*
 * Give each page from at on a place on the disk, so that writing to it through
 * a mapping cannot fail.  For filesystems that have no call for it, write what
 * is there already.
 */
static bool reserve(int fd, uint64_t at, uint64_t n)
{
	long r = sys_allocate(fd, at, n);
	if (r == 0)
		return true;
	if (r != -EOPNOTSUPP && r != -ENOSYS && r != -EINVAL && r != -EPERM)
		return false;
	for (uint64_t end = at + n; at < end; at += LDX_PAGE) {
		long got = sys_pread(fd, scratch.page, LDX_PAGE, at);
		if (got < 0)
			return false;
		for (long i = got; i < LDX_PAGE; i++)
			scratch.page[i] = 0;
		if (sys_pwrite(fd, scratch.page, LDX_PAGE, at) != LDX_PAGE)
			return false;
	}
	return true;
}

static void scratch_clear(void)
{
	for (size_t i = 0; i < sizeof scratch; i++)
		scratch.page[i] = 0;
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
	return false;
}

static bool header_fits(int fd, uint64_t size)
{
	const struct ldx_profile_header *h = &scratch.h;
	return sys_pread(fd, scratch.page, LDX_PAGE, 0) == LDX_PAGE &&
	       h->magic == LDX_PROFILE_MAGIC && h->build == __ldx_build && h->end >= LDX_PAGE &&
	       h->end <= size && h->end % LDX_PAGE == 0;
}

/*
 * Open the profile called name, or make it, and lock it; its header is in scratch.
 * The descriptor, or -1; *other: there is a file of that name, but it is not of
 * this build.
 */
static int profile_open(const char *name, const struct rt_start *s, bool *other)
{
	struct stat st;
	int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	*other = false;
	if (!name)
		return -1;
	int fd = (int)sys_open(name, flags | (__ldx_named ? 0 : O_NOFOLLOW), 0666);
	if (fd < 0)
		return -1;
	if (sys_failed(sys_stat_fd(fd, &st)) || !S_ISREG(st.st_mode) ||
		!take_lock(fd, F_OFD_SETLKW, 0) || sys_failed(sys_stat_fd(fd, &st)))
		goto fail;
	if (st.st_size == 0) {
		if (!write_header(fd, s))
			goto fail;
	} else if (!header_fits(fd, (uint64_t)st.st_size)) {
		*other = true;
		goto fail;
	}
	return fd;
fail:
	sys_close(fd);
	return -1;
}

/*
 * A slot of this object that nobody owns, locked, or the end of the last slot.
 * 0: the slots are damaged.
 */
static uint64_t slot_find(int fd, uint64_t end)
{
	const struct ldx_slot_header *h = &scratch.slot;
	uint64_t at = LDX_PAGE;
	for (; at < end; at += h->size) {
		if (sys_pread(fd, &scratch, sizeof *h, at) != sizeof *h || h->size < LDX_PAGE ||
			h->size % LDX_PAGE || h->size > end - at)
			return 0;
		if (h->build == __ldx_info.build && h->size == slot_size() &&
			take_lock(fd, F_OFD_SETLK, at))
			return at;
	}
	return take_lock(fd, F_OFD_SETLK, at) ? at : 0;
}

static bool slot_add(int fd, uint64_t at)
{
	struct ldx_slot_header *h = &scratch.slot;
	uint64_t end = at + slot_size();
	scratch_clear();
	h->build = __ldx_info.build;
	h->ncounters = __ldx_info.ncounters;
	h->size = slot_size();
	h->flags = has_marks() ? LDX_SLOT_MARKS : 0;
	put_path(h->object, sizeof h->object, __ldx_own);
	return sys_pwrite(fd, scratch.page, LDX_PAGE, at) == LDX_PAGE &&
	       sys_pwrite(fd, &end, sizeof end, offsetof(struct ldx_profile_header, end)) ==
		       sizeof end;
}

/* Where the slot is that this process owns now, or 0; the lock on byte 0 is held. */
static uint64_t slot_take(int fd)
{
	uint64_t owner[2] = {1, (uint64_t)sys_getpid()}; /* used, pid */
	uint64_t end = scratch.h.end, at = slot_find(fd, end);
	if (!at || !size_allowed(at + slot_size()) || !reserve(fd, at, slot_size()) ||
		(at == end && !slot_add(fd, at)) ||
		sys_pwrite(fd, owner, sizeof owner, at) != sizeof owner)
		return 0;
	return at;
}

/*
 * Map part of the file, over size bytes at to unless that is NULL, after adding
 * what has been counted so far.  Where it is, or NULL: to is then as it was.
 */
static void *map_part(int fd, uint64_t at, uint64_t size, void *to, const uint64_t *counted)
{
	long r = sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (sys_failed(r))
		return NULL;
	volatile uint64_t *in = (uint64_t *)r;
	for (uint64_t i = 0; counted && i < __ldx_info.ncounters; i++)
		if (counted[i])
			in[i] = has_marks() ? in[i] | counted[i] : in[i] + counted[i];
	if (!to || !sys_failed(sys_mremap((void *)r, size, MREMAP_MAYMOVE | MREMAP_FIXED, to)))
		return to ? to : (void *)r;
	sys_munmap((void *)r, size);
	return NULL;
}

/* From a locked profile to cells in a slot of it; closes fd. */
static void *profile_enter(int fd, void *to, const uint64_t *counted, bool process)
{
	void *cells = NULL;
	uint64_t at = slot_take(fd);
	if (at && (!process || map_part(fd, at, LDX_PAGE, &slot, NULL)))
		cells = map_part(fd, at + LDX_PAGE, __ldx_cells_size(), to, counted);
	if (cells && process)
		slot.h.runs++;
	if (cells && __ldx_far && !map_part(fd, at + LDX_PAGE, __ldx_cells_size(), __ldx_far,
			counted ? __ldx_far : NULL))
		slot.h.lost++;
	drop_lock(fd, 0);
	sys_close(fd);
	return cells;
}

/*
 * Cells in a slot of the profile, mapped at to if that is not NULL; counted, if not
 * NULL, are added to them.  s: the start of a program, NULL later.  process: the
 * slot is a new process's, not a new thread's.
 */
static void *profile_cells(
	const struct rt_start *s, void *to, const uint64_t *counted, bool process)
{
	bool other;
	if (!size_allowed(LDX_PAGE + slot_size()))
		return NULL;
	int fd = profile_open(__ldx_name_make(false), s, &other);
	if (other)
		fd = profile_open(__ldx_name_make(true), s, &other);
	return fd >= 0 ? profile_enter(fd, to, counted, process) : NULL;
}

static void *private_cells(void *to)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (to ? MAP_FIXED : 0);
	long r = sys_mmap(to, __ldx_cells_size(), PROT_READ | PROT_WRITE, flags, -1, 0);
	return sys_failed(r) ? NULL : (void *)r;
}

/* Cells that nobody reads: something is counted that will be missing. */
static void *lost_cells(void *to)
{
	if (active)
		__atomic_fetch_add(&slot.h.lost, 1, __ATOMIC_RELAXED);
	if (__ldx_far)
		private_cells(__ldx_far);
	return private_cells(to);
}

void *__ldx_more_cells(void)
{
	void *cells = active ? profile_cells(NULL, NULL, NULL, false) : NULL;
	return cells ? cells : lost_cells(NULL);
}

void __ldx_child_cells(uint64_t *at)
{
	if (!profile_cells(NULL, at, NULL, true))
		lost_cells(at);
}

void __ldx_begin(const struct rt_start *s)
{
	if (__ldx_info.magic != LDX_INFO_MAGIC || !__ldx_info.ncounters)
		return;
	__ldx_threads_begin();
	uint64_t *cells = __ldx_threads_cells();
	if (!__ldx_name_set(s) || !profile_cells(s, cells, cells, true))
		return;
	active = true;
	__ldx_threads_own();
	__ldx_atfork(s);
}
