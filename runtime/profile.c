/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - a slot of the profile in place of the counters
 *
 * A slot of the file is mapped over the program's counters, so that increments
 * write to the file: nothing is left to do at exit, and a killed process loses no
 * count.  The owner's lock on its slot belongs to the open file description,
 * which the mapping keeps open after the descriptor is closed: the program
 * keeps all its descriptors, and a slot is free when its owner has ended,
 * however it ended.
 *
 * The counts of an ended owner stay in the slot, and the next owner adds to
 * them: the value of a counter is the sum over all slots.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/wide.h"

#include <sys/mman.h>

#define PAGE __attribute__((aligned(LDX_PAGE)))

/*
 * The header of the process's slot, mapped once there is one: in front of the counters, so that
 * both are one mapping, or here.
 */
static union slot {
	struct ldx_slot_header h;
	struct {
		char rest[LDX_PAGE - sizeof(struct ldx_slot_children)];
		struct ldx_slot_children children;
	};
} PAGE place;
static bool parents; /* it is the slot of the process that forked this one off */
static bool counts;
uint64_t *__ldx_far;
void *__ldx_front;

_Static_assert(sizeof place == LDX_PAGE, "a header is one page");
_Static_assert(sizeof place.h + LDX_RULES * sizeof(struct ldx_rule) <= sizeof place.rest,
	"there is room for rules");

static union slot *slot(void)
{
	return __ldx_front ? __ldx_front : &place;
}

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

/*
 * Add counts, and what is behind them, to cells; most are 0 at a program's start, when this is what
 * takes most time.
 */
static void add_counts(volatile uint64_t *cell, const uint64_t *count)
{
	const struct ldx_rule *rule = __ldx_rules_next(NULL);
	const uint64_t *end = count + (rule ? rule->first : __ldx_info.ncounters);
	if (rule)
		__ldx_rules_merge((uint64_t *)cell, count);
	for (; count < end; count++, cell++) {
		while (end - count >= 8 &&
			!(count[0] | count[1] | count[2] | count[3] | count[4] | count[5] |
				count[6] | count[7])) {
			count += 8;
			cell += 8;
		}
		if (count < end && *count)
			*cell = has_marks() ? *cell | *count : *cell + *count;
	}
}

/* Map part of the file in place of what is at to.  NULL: to is unchanged, or has zeros. */
static void *map_over(int fd, uint64_t at, uint64_t size, void *to)
{
	const int prot = PROT_READ | PROT_WRITE;
	if (!sys_failed(sys_mmap(to, size, prot, MAP_SHARED | MAP_FIXED, fd, at)))
		return to;
	/* Before Linux 6.12 it may have unmapped what was there. */
	sys_mmap(to, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	return NULL;
}

/*
 * Map part of the file, at to unless that is NULL, after adding the counts so far, if there are
 * any: then other threads may count.  Returns its address, or NULL: then to is unchanged.
 */
static void *map_part(int fd, uint64_t at, uint64_t size, void *to, const uint64_t *counted)
{
	bool cells = to != slot();
	if (to && !counted && !(cells && __ldx_control_has()))
		return map_over(fd, at, size, to);
	long r = sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (sys_failed(r))
		return NULL;
	uint64_t *before = cells ? __ldx_control_before((uint64_t *)r, size) : NULL;
	if (counted)
		add_counts((uint64_t *)r, counted);
	if (!to)
		to = __ldx_threads_place((void *)r, size);
	else if (sys_failed(sys_mremap((void *)r, size, MREMAP_MAYMOVE | MREMAP_FIXED, to)))
		to = NULL;
	if (!to)
		sys_munmap((void *)r, size);
	else if (cells)
		__ldx_control_mapped(to, size, before);
	return to;
}

/* Cells of the slot for other threads, if it has any. */
static void map_rows(int fd, uint64_t at, uint64_t rows)
{
	uint64_t size = __ldx_cells_size();
	void *r = rows > 1 ? map_part(fd, at + size, (rows - 1) * size, NULL, NULL) : NULL;
	if (r)
		__ldx_threads_rows(r, rows - 1);
}

/*
 * Map the header of a slot, and its first row at to.  A row that is in front of neither of the
 * program's addresses belongs to a thread that has forked.
 */
static void *map_slot(int fd, uint64_t at, uint64_t *to, const uint64_t *counted)
{
	uint64_t size = __ldx_cells_size();
	uint64_t *behind = __ldx_front ? (uint64_t *)((char *)__ldx_front + LDX_PAGE) : NULL;
	bool all = !counted && behind && !__ldx_control_has() &&
		(behind == to || behind == __ldx_far);
	if (!map_over(fd, at, LDX_PAGE + (all ? size : 0), slot()))
		return NULL;
	if (!all || behind != to)
		to = map_part(fd, at + LDX_PAGE, size, to, counted);
	if (to && __ldx_far && !(all && behind == __ldx_far) &&
		!map_part(fd, at + LDX_PAGE, size, __ldx_far, counted ? __ldx_far : NULL))
		slot()->h.lost++;
	return to;
}

/* Map a slot of the open profile that this process has taken, and begin its run. */
static void *slot_enter(int fd, uint64_t at, uint64_t rows, uint64_t *to, const uint64_t *counted)
{
	void *cells = at ? map_slot(fd, at, to, counted) : NULL;
	if (!cells)
		return NULL;
	struct ldx_slot_header *h = &slot()->h;
	h->runs++;
	h->used = LDX_SLOT_USED;
	if (__ldx_info.flags & LDX_INFO_ENDS) {
		h->used |= LDX_SLOT_OPEN;
		h->unfinished++;
	}
	__ldx_slot_begin(&slot()->children);
	map_rows(fd, at + LDX_PAGE, rows);
	return cells;
}

/* Map *rows adjacent rows of cells, or more, for new threads. */
static void *threads_enter(int fd, uint64_t *rows)
{
	uint64_t at = __ldx_slot_take(fd, rows);
	return at ? map_part(fd, at + LDX_PAGE, *rows * __ldx_cells_size(), NULL, NULL) : NULL;
}

static int open_any(const struct rt_start *s)
{
	bool other;
	int fd = __ldx_profile_open(__ldx_name_make(false), s, &other);
	return other ? __ldx_profile_open(__ldx_name_make(true), s, &other) : fd;
}

/* Cells in a slot of the profile, mapped at to, when a program starts; counted are added to them.
 */
static bool process_cells(const struct rt_start *s, uint64_t *to, const uint64_t *counted)
{
	int fd = open_any(s);
	if (fd < 0)
		return false;
	uint64_t rows = __ldx_threads_ahead() + 1, at = __ldx_slot_take(fd, &rows);
	void *cells = slot_enter(fd, at, rows, to, counted);
	if (cells)
		__ldx_slot_opened();
	__ldx_profile_close(fd);
	return cells;
}

/* A slot of a process forked before by the same parent, which has ended: a few system calls. */
static bool brothers_cells(uint64_t *to)
{
	uint64_t at;
	int fd = __ldx_slot_again(__ldx_name_make(false), &slot()->children, &at);
	if (fd < 0)
		return false;
	void *cells = slot_enter(fd, at, __ldx_threads_ahead() + 1, to, NULL);
	if (cells)
		slot()->h.pid = 0;
	sys_close(fd);
	return cells;
}

static bool child_cells(uint64_t *to)
{
	int fd = open_any(NULL);
	if (fd < 0)
		return false;
	uint64_t rows = __ldx_threads_ahead() + 1, at = __ldx_slot_take(fd, &rows);
	if (at)
		__ldx_slot_note(&slot()->children, at);
	void *cells = slot_enter(fd, at, rows, to, NULL);
	if (cells)
		__ldx_slot_opened();
	__ldx_profile_close(fd);
	return cells;
}

void *__ldx_private_cells(void *to)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (to ? MAP_FIXED : 0);
	uint64_t size = __ldx_cells_size();
	long r = sys_mmap(to, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (sys_failed(r))
		return NULL;
	return to ? to : __ldx_threads_place((void *)r, size);
}

void __ldx_lost(bool process)
{
	wide_add(process ? &slot()->h.lost : &slot()->h.lost_threads, 1);
}

void *__ldx_more_rows(uint64_t *rows)
{
	int fd = open_any(NULL);
	void *cells = fd >= 0 ? threads_enter(fd, rows) : NULL;
	if (fd >= 0)
		__ldx_profile_close(fd);
	return cells;
}

void __ldx_child_cells(uint64_t *at)
{
	if (!counts)
		return;
	__ldx_control_child();
	if (brothers_cells(at) || child_cells(at))
		return;
	__ldx_lost(true);
	parents = true;
	if (__ldx_far)
		__ldx_private_cells(__ldx_far);
	__ldx_private_cells(at);
}

/* Called by exit() or dlclose(). */
void __ldx_ended(void)
{
	rt_tell(LDX_AT_END, NULL);
	if (!(slot()->h.used & LDX_SLOT_OPEN) || parents || !__ldx_has_slot())
		return;
	slot()->h.used = LDX_SLOT_USED;
	slot()->h.unfinished--;
}

void __ldx_begin(const struct rt_start *s)
{
	if (__ldx_info.magic != LDX_INFO_MAGIC || (!__ldx_info.ncounters && !__ldx_info.events))
		return;
	__ldx_threads_begin(s);
	uint64_t *cells = __ldx_threads_cells();
	counts = __ldx_info.ncounters && __ldx_name_set(s) && process_cells(s, cells, cells);
	__ldx_log(s->log, counts ? __ldx_name_made() : NULL);
	if (counts)
		__ldx_threads_own();
	else
		__ldx_threads_off();
	if (counts || __ldx_info.events)
		__ldx_atfork(s);
	rt_tell(LDX_AT_BEGIN, s);
}
