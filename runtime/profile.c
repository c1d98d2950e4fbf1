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

/* The header of the process's slot, mapped here once there is one. */
static union {
	struct ldx_slot_header h;
	char page[LDX_PAGE];
} PAGE slot;
static bool parents; /* it is the slot of the process that forked this one off */
static bool counts;
uint64_t *__ldx_far;

_Static_assert(sizeof slot == LDX_PAGE, "a header is one page");

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

/*
 * Map part of the file, at to unless that is NULL, after adding the counts so far.
 * Returns its address, or NULL: then to is unchanged.
 */
static void *map_part(int fd, uint64_t at, uint64_t size, void *to, const uint64_t *counted)
{
	long r = sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (sys_failed(r))
		return NULL;
	bool cells = to != &slot;
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

/* Take a slot of the open profile for this process, and map it. */
static void *process_enter(int fd, void *to, const uint64_t *counted)
{
	void *cells = NULL;
	uint64_t rows = __ldx_threads_ahead() + 1, at = __ldx_slot_take(fd, &rows);
	if (at && map_part(fd, at, LDX_PAGE, &slot, NULL))
		cells = map_part(fd, at + LDX_PAGE, __ldx_cells_size(), to, counted);
	if (!cells)
		return NULL;
	slot.h.runs++;
	if (__ldx_info.flags & LDX_INFO_ENDS) {
		slot.h.used |= LDX_SLOT_OPEN;
		slot.h.unfinished++;
	}
	if (__ldx_far &&
		!map_part(fd, at + LDX_PAGE, __ldx_cells_size(), __ldx_far,
			counted ? __ldx_far : NULL))
		slot.h.lost++;
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

/*
 * Cells in a slot of the profile, mapped at to; counted, if not NULL, are added to them.
 * s: the start of a program, NULL later.
 */
static bool process_cells(const struct rt_start *s, void *to, const uint64_t *counted)
{
	int fd = open_any(s);
	void *cells = fd >= 0 ? process_enter(fd, to, counted) : NULL;
	if (fd >= 0)
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
	wide_add(process ? &slot.h.lost : &slot.h.lost_threads, 1);
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
	if (process_cells(NULL, at, NULL))
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
	if (!(slot.h.used & LDX_SLOT_OPEN) || parents || !__ldx_has_slot())
		return;
	slot.h.used = LDX_SLOT_USED;
	slot.h.unfinished--;
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
