/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - the program dumps, resets, stops and starts its counters: runtime/ldx.h
 *
 * While counting is stopped, private memory is mapped in place of the slot of the profile.  The
 * kernel exchanges the two in one step for all threads, so no increment is in flight between
 * them, and the slot in the file can be changed: a reset, too, exchanges them for a moment.
 *
 * A slot may have counts of its earlier owners.  They are copied when the slot is taken: a reset
 * restores them, and a dump subtracts them.  Marks cannot be subtracted, nor all data of tools, so
 * a process with such always takes a new slot.  Keys of tables stay where they are, whatever is
 * mapped: a routine that has found an entry is about to add to it.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/text.h"

#include <signal.h>
#include <sys/mman.h>

/* Rows of a slot that are mapped at cells, or at away while counting is stopped. */
struct region {
	uint64_t *cells, size; /* bytes */
	uint64_t *before;      /* their contents when the slot was taken */
	uint64_t *away;
};
enum { REGIONS = 64 };
static struct region region[REGIONS];
static size_t nregions;
static bool stopped, beyond; /* beyond: there are more than REGIONS */
static uint32_t busy;
static char dump_name[RT_PATH];
static union {
	struct ldx_profile_header h;
	struct ldx_slot_header s;
	uint64_t cell[LDX_PAGE / 8];
} dump_page;

/* Names of other tools, for their test harnesses; weak, so that the program may define them. */
#define CONTROL RT_ENTRY __attribute__((weak))
#pragma GCC visibility push(hidden)
CONTROL int __ldx_control_dump(const char *file);
CONTROL int __ldx_control_reset(void);
CONTROL int __ldx_control_stop(void);
CONTROL int __ldx_control_start(void);
CONTROL void __gcov_dump(void);
CONTROL void __gcov_reset(void);
CONTROL int __llvm_profile_write_file(void);
CONTROL void __llvm_profile_reset_counters(void);
#pragma GCC visibility pop

static struct sys_signals enter(void)
{
	struct sys_signals all = sys_all_signals(), old;
	sys_sigmask(SIG_BLOCK, &all, &old);
	while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		sys_yield();
	return old;
}

static int leave(struct sys_signals old, bool done)
{
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return done ? 0 : -1;
}

static void *memory(uint64_t size)
{
	long r = sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return sys_failed(r) ? NULL : (void *)r;
}

static size_t row_cells(void)
{
	return (size_t)(__ldx_cells_size() / 8);
}

/* Is cell i the first of a thread's row, with its thread pointer (threads.c)? */
static bool names_thread(const struct region *r, uint64_t i)
{
	return __ldx_info.flags & (LDX_INFO_THREADS | LDX_INFO_TURNS) &&
		(size_t)i % row_cells() == 0 && i < r->size / 8;
}

/* Is cell i no count, or part of one, but says whose counts others are? */
static bool names(const struct region *r, uint64_t i)
{
	return names_thread(r, i) || __ldx_rules_is_key((size_t)i % row_cells());
}

static void copy_names(const struct region *r, uint64_t *to, const uint64_t *from)
{
	bool tables = __ldx_rules_next(NULL);
	for (uint64_t i = 0; i < r->size / 8; i += tables ? 1 : row_cells())
		if (names(r, i))
			to[i] = from[i];
}

/* Move the rows in the file to another address, and map private memory at theirs. */
static bool divert(struct region *r)
{
	uint64_t *private = memory(r->size);
	long away = private ? sys_mremap_copy(r->cells, r->size) : -1;
	if (sys_failed(away)) {
		if (private)
			sys_munmap(private, r->size);
		return false;
	}
	copy_names(r, private, r->cells);
	if (sys_failed(sys_mremap(private, r->size, MREMAP_MAYMOVE | MREMAP_FIXED, r->cells))) {
		sys_munmap((void *)away, r->size);
		sys_munmap(private, r->size);
		return false;
	}
	r->away = (uint64_t *)away;
	return true;
}

static bool restore(struct region *r)
{
	if (!r->away)
		return true;
	copy_names(r, r->away, r->cells);
	if (sys_failed(sys_mremap(r->away, r->size, MREMAP_MAYMOVE | MREMAP_FIXED, r->cells)))
		return false;
	r->away = NULL;
	return true;
}

static bool restore_all(void)
{
	bool all = true;
	for (size_t i = 0; i < nregions; i++)
		all &= restore(&region[i]);
	return all;
}

static bool divert_all(void)
{
	for (size_t i = 0; i < nregions; i++)
		if (!region[i].away && !divert(&region[i])) {
			restore_all();
			return false;
		}
	return true;
}

bool __ldx_control_has(void)
{
	return true;
}

bool __ldx_control_fresh(void)
{
	return __ldx_info.flags & (LDX_INFO_MARKS | LDX_INFO_RULES);
}

uint64_t *__ldx_control_before(const uint64_t *cells, uint64_t size)
{
	uint64_t *before = memory(size);
	for (uint64_t i = 0; before && i < size / 8; i++)
		if (cells[i])
			before[i] = cells[i];
	return before;
}

void __ldx_control_mapped(uint64_t *cells, uint64_t size, uint64_t *before)
{
	struct sys_signals old = enter();
	if (!before || nregions == REGIONS) {
		beyond = true;
	} else {
		struct region *r = &region[nregions++];
		*r = (struct region){.cells = cells, .size = size, .before = before};
		beyond |= stopped && !divert(r);
	}
	leave(old, true);
}

/* This process must not change its parent's slot. */
void __ldx_control_child(void)
{
	for (size_t i = 0; i < nregions; i++) {
		sys_munmap(region[i].before, region[i].size);
		if (region[i].away)
			sys_munmap(region[i].away, region[i].size);
	}
	nregions = 0;
	beyond = false;
	busy = 0;
}

static bool can_control(void)
{
	return nregions && !beyond && __ldx_has_slot();
}

int __ldx_control_stop(void)
{
	struct sys_signals old = enter();
	bool done = can_control() && (stopped || divert_all());
	stopped |= done;
	return leave(old, done);
}

int __ldx_control_start(void)
{
	struct sys_signals old = enter();
	bool done = can_control() && restore_all();
	stopped &= !done;
	return leave(old, done);
}

/* Is r the second mapping, in the image, of the same rows? */
static bool is_twin(const struct region *r)
{
	return __ldx_far && r->cells == __ldx_far;
}

static void take_back(const struct region *r)
{
	for (uint64_t i = 0; !is_twin(r) && i < r->size / 8; i++)
		if (r->away[i] != r->before[i] && !names(r, i))
			r->away[i] = r->before[i];
}

int __ldx_control_reset(void)
{
	struct sys_signals old = enter();
	bool done = can_control() && divert_all();
	for (size_t i = 0; done && i < nregions; i++)
		take_back(&region[i]);
	if (done && !stopped)
		done = restore_all();
	return leave(old, done);
}

/* Dump ------------------------------------------------------------------------ */

/* The count of this process in cell i, summed over rows. */
static uint64_t counted(uint64_t i)
{
	uint64_t sum = 0, row = __ldx_cells_size() / 8;
	for (size_t k = 0; k < nregions; k++) {
		const struct region *r = &region[k];
		const volatile uint64_t *cells = r->away ? r->away : r->cells;
		for (uint64_t at = i; !is_twin(r) && at < r->size / 8; at += row)
			if (!names_thread(r, at))
				sum += cells[at] - r->before[at];
	}
	return sum;
}

static bool put_page(int fd, uint64_t at)
{
	return sys_pwrite(fd, &dump_page, LDX_PAGE, at) == LDX_PAGE;
}

static void clear_page(void)
{
	for (size_t i = 0; i < LDX_PAGE / 8; i++)
		dump_page.cell[i] = 0;
}

static void put_name(char *to, size_t n, const char *from)
{
	for (size_t i = 0; i + 1 < n && from[i]; i++)
		to[i] = from[i];
}

static uint64_t count_rows(void)
{
	uint64_t bytes = 0;
	for (size_t k = 0; k < nregions; k++)
		bytes += is_twin(&region[k]) ? 0 : region[k].size;
	return (size_t)bytes / (size_t)__ldx_cells_size();
}

/* All rows as they are: nothing was in them before. */
static bool put_rows(int fd)
{
	uint64_t to = 2 * LDX_PAGE;
	for (size_t k = 0; k < nregions; k++)
		for (uint64_t at = 0; !is_twin(&region[k]) && at < region[k].size / 8;
			at += LDX_PAGE / 8, to += LDX_PAGE) {
			const uint64_t *cells = region[k].away ? region[k].away : region[k].cells;
			for (uint64_t i = 0; i < LDX_PAGE / 8; i++)
				dump_page.cell[i] =
					names_thread(&region[k], at + i) ? 0 : cells[at + i];
			if (!put_page(fd, to))
				return false;
		}
	return true;
}

static bool put_counts(int fd)
{
	bool done = true;
	if (__ldx_rules_next(NULL))
		return put_rows(fd);
	for (uint64_t at = 0; done && at < __ldx_cells_size(); at += LDX_PAGE) {
		for (uint64_t i = 0; i < LDX_PAGE / 8; i++)
			dump_page.cell[i] = counted(at / 8 + i);
		done = put_page(fd, 2 * LDX_PAGE + at);
	}
	return done;
}

/* The header is written last: without it, the file is no profile. */
static bool put_profile(int fd)
{
	uint64_t rows = __ldx_rules_next(NULL) ? count_rows() : 1;
	uint64_t size = LDX_PAGE + rows * __ldx_cells_size();
	bool done = put_counts(fd);
	clear_page();
	dump_page.s = (struct ldx_slot_header){.used = LDX_SLOT_USED,
		.build = __ldx_info.build,
		.ncounters = __ldx_info.ncounters,
		.size = size,
		.runs = 1,
		.flags = __ldx_info.flags & LDX_INFO_MARKS ? LDX_SLOT_MARKS : 0};
	put_name(dump_page.s.object, sizeof dump_page.s.object, __ldx_own);
	__ldx_rules_put(&dump_page.s + 1);
	done = done && put_page(fd, LDX_PAGE);
	clear_page();
	dump_page.h = (struct ldx_profile_header){.magic = LDX_PROFILE_MAGIC,
		.build = __ldx_build,
		.end = LDX_PAGE + size};
	put_name(dump_page.h.program, sizeof dump_page.h.program, __ldx_name.program);
	return done && put_page(fd, 0);
}

int __ldx_control_dump(const char *file)
{
	struct sys_signals old = enter();
	struct text t = {dump_name, 0, false};
	if (file && can_control())
		__ldx_name_expand(&t, file);
	bool named = t.n && !t.full;
	int fd = named
		? (int)sys_open(dump_name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666)
		: -1;
	bool done = fd >= 0 && put_profile(fd);
	if (fd >= 0)
		sys_close(fd);
	return leave(old, done);
}

/* Other tools' functions to write a profile: the counts are in the profile already. */
void __gcov_dump(void)
{
}

void __gcov_reset(void)
{
	__ldx_control_reset();
}

int __llvm_profile_write_file(void)
{
	return 0;
}

void __llvm_profile_reset_counters(void)
{
	__ldx_control_reset();
}
