/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - counters for each thread, as cheap as shared ones
 *
 * An increment addresses %gs:counter.  When the %gs base is 0, as at the start of a program, that
 * is the counter itself.  The base of a thread with its own cells is the distance from the
 * program's cells to them: an increment needs no register and no load, and works before the thread
 * is set up.
 *
 * A new thread inherits the base of its creator.  It is detected before it counts: if the libc
 * is linked statically, behind the system call that made the thread; else at the entry of the
 * thread's first function in the program.  That function is called by address, and address-taken
 * functions compare cell 0 with the thread pointer.  In a static program cell 0 may have the
 * thread number instead.
 *
 * Cells are rows of a slot of the profile, so nothing has to be done when a thread ends.  A new
 * thread takes a free row, without system calls that a filter (seccomp(2)) might forbid, or
 * the row of a thread that had the same thread pointer and so has ended.  If there is none, the
 * process takes another slot, with as many rows as it has by then.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"

#include <asm/errno.h>
#include <asm/hwcap2.h>
#include <asm/prctl.h>
#include <signal.h>
#include <sys/mman.h>

enum {
	TID_UNKNOWN = 0,
	TID_LAST = 1 << 22, /* none is greater; thread pointers are */
	TID_NEXT = -1,	    /* the row's thread has ended, and a new one is about to take the row */
	AHEAD_MIN = 4,
	AHEAD_MAX = 32,
	AHEAD_BYTES = 2 << 20, /* the number of rows is what fits, within these limits */
	MORE_MAX = 64,
	MORE_BYTES = 16 << 20,
};

/* Adjacent rows of cells.  Cell 0 of each is its owner's thread pointer; 0: the row is free. */
struct bank {
	struct bank *next;
	uint64_t *cells;
	uint64_t n;
	int32_t tid[(LDX_PAGE - 24) / 4]; /* of the owners */
};

uint32_t __ldx_threads;
static struct bank first;
static uint32_t lock;
static uint64_t *nowhere; /* cells for threads that have no row, never read */
static bool by_insn;	  /* rdgsbase and wrgsbase may be used */

static uint64_t gs_base(void)
{
	uint64_t base = 0;
	if (by_insn)
		__asm__ volatile("rdgsbase %0" : "=r"(base));
	else
		sys_arch_prctl(ARCH_GET_GS, (uint64_t)&base);
	return base;
}

static bool set_gs_base(uint64_t base)
{
	if (!by_insn)
		return !sys_failed(sys_arch_prctl(ARCH_SET_GS, base));
	__asm__ volatile("wrgsbase %0" ::"r"(base) : "memory");
	return true;
}

static uint64_t *cells_at(uint64_t base)
{
	return (uint64_t *)((uint64_t)__ldx_cells() + base);
}

/* Do thread pointers identify threads?  In a static program a thread may have none, or another's.
 */
static bool by_pointer(void)
{
	return __ldx_info.flags & LDX_INFO_CHECKS;
}

/*
 * ELF Handling for Thread-Local Storage, 3.4.2: %fs:0 holds the thread pointer itself, where there
 * is one.  0: there is none, or only a system call could tell.
 */
static uint64_t thread_pointer(void)
{
	uint64_t self = 0;
	if (by_pointer())
		__asm__ volatile("mov %%fs:0, %0" : "=r"(self));
	else if (by_insn)
		__asm__ volatile("rdfsbase %0" : "=r"(self));
	return self;
}

void __ldx_threads_begin(const struct rt_start *s)
{
	__ldx_threads = __ldx_info.flags & LDX_INFO_THREADS ? 1 : 0;
	by_insn = s->hwcap2 & HWCAP2_FSGSBASE;
}

/* Nothing is counted, so threads need not be distinguished. */
void __ldx_threads_off(void)
{
	__ldx_threads = 0;
	__ldx_owner.set = 1;
}

/* Rows to prepare before the program can forbid the system calls that add rows. */
uint64_t __ldx_threads_ahead(void)
{
	uint64_t n = AHEAD_BYTES / __ldx_cells_size();
	if (!__ldx_threads || !(__ldx_info.flags & LDX_INFO_AHEAD))
		return 0;
	return n < AHEAD_MIN ? AHEAD_MIN : n > AHEAD_MAX ? AHEAD_MAX : n;
}

uint64_t *__ldx_threads_cells(void)
{
	return __ldx_threads ? cells_at(gs_base()) : __ldx_cells();
}

void __ldx_threads_own(void)
{
	uint64_t self = __ldx_threads ? thread_pointer() : 0;
	if (__ldx_threads)
		*cells_at(gs_base()) = self ? self : (uint64_t)sys_gettid();
}

/* A forked child has no other threads; their cells are still mapped, but belong to the parent. */
uint64_t *__ldx_threads_child(void)
{
	if (!__ldx_threads)
		return __ldx_cells();
	first.cells = NULL;
	first.n = 0;
	first.next = NULL;
	nowhere = NULL;
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	return __ldx_threads_cells();
}

static uint64_t *row_at(const struct bank *b, uint64_t i)
{
	return b->cells + i * (__ldx_cells_size() / 8);
}

static struct bank *bank_new(void)
{
	if (!first.n)
		return &first;
	long r = sys_mmap(NULL, sizeof first, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	return sys_failed(r) ? NULL : (struct bank *)r;
}

void __ldx_threads_rows(uint64_t *cells, uint64_t rows)
{
	struct bank *b = __ldx_threads ? bank_new() : NULL, *last = &first;
	/* The kernel accepts only bases in the user's half of the addresses, so no negative ones.
	 */
	if (!b || cells < __ldx_cells())
		return;
	if (rows > sizeof b->tid / sizeof b->tid[0])
		rows = sizeof b->tid / sizeof b->tid[0];
	b->cells = cells;
	for (uint64_t i = 0; i < rows; i++) {
		*row_at(b, i) = 0;
		b->tid[i] = TID_UNKNOWN;
	}
	__atomic_store_n(&b->n, rows, __ATOMIC_SEQ_CST);
	while (last->next)
		last = last->next;
	if (b != &first)
		__atomic_store_n(&last->next, b, __ATOMIC_SEQ_CST);
}

static bool exchange_tid(int32_t *tid, int32_t from, int32_t to)
{
	return __atomic_compare_exchange_n(tid, &from, to, false, __ATOMIC_SEQ_CST,
		__ATOMIC_SEQ_CST);
}

/*
 * A row whose owner is self: of an ended thread with the same pointer, or of this thread, when a
 * signal handler interrupted it here.
 */
static uint64_t *row_again(uint64_t self, int32_t tid)
{
	for (struct bank *b = &first; b; b = __atomic_load_n(&b->next, __ATOMIC_SEQ_CST))
		for (uint64_t i = 0; i < b->n; i++) {
			int32_t before = __atomic_load_n(&b->tid[i], __ATOMIC_SEQ_CST);
			if (before != TID_NEXT &&
				__atomic_load_n(row_at(b, i), __ATOMIC_SEQ_CST) == self &&
				exchange_tid(&b->tid[i], before, tid))
				return row_at(b, i);
		}
	return NULL;
}

static uint64_t *row_free(uint64_t self, int32_t tid)
{
	for (struct bank *b = &first; b; b = __atomic_load_n(&b->next, __ATOMIC_SEQ_CST))
		for (uint64_t i = 0; i < b->n; i++) {
			uint64_t none = 0;
			if (!__atomic_compare_exchange_n(row_at(b, i), &none, self, false,
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
				continue;
			__atomic_store_n(&b->tid[i], tid, __ATOMIC_SEQ_CST);
			return row_at(b, i);
		}
	return NULL;
}

/* A row of a thread that has ended. */
static uint64_t *row_left(uint64_t self, int32_t tid, long pid)
{
	for (struct bank *b = &first; b; b = b->next)
		for (uint64_t i = 0; i < b->n; i++) {
			int32_t before = __atomic_load_n(&b->tid[i], __ATOMIC_SEQ_CST);
			if (before <= 0 || sys_tgkill(pid, before, 0) != -ESRCH ||
				!exchange_tid(&b->tid[i], before, TID_NEXT))
				continue;
			__atomic_store_n(row_at(b, i), self, __ATOMIC_SEQ_CST);
			__atomic_store_n(&b->tid[i], tid, __ATOMIC_SEQ_CST);
			return row_at(b, i);
		}
	return NULL;
}

/* Double the number of rows, up to a limit. */
static void rows_add(void)
{
	uint64_t n = 0, most = MORE_BYTES / __ldx_cells_size();
	for (struct bank *b = &first; b; b = b->next)
		n += b->n;
	n = n > MORE_MAX ? MORE_MAX : n;
	n = n > most ? most : n;
	n = n ? n : 1;
	uint64_t *cells = __ldx_more_rows(&n);
	if (cells)
		__ldx_threads_rows(cells, n);
}

static uint64_t *row_make(uint64_t self, int32_t tid)
{
	struct sys_signals all = sys_all_signals(), old;
	sys_sigmask(SIG_BLOCK, &all, &old);
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		sys_yield();
	uint64_t *row = tid ? row_left(self, tid, sys_getpid()) : NULL;
	if (!row && !(row = row_free(self, tid))) {
		rows_add();
		row = row_free(self, tid);
	}
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return row;
}

/* Count in cells that are never read: using its creator's would damage the creator's counts. */
static uint64_t *row_lost(void)
{
	__ldx_lost(false);
	if (!nowhere)
		nowhere = __ldx_private_cells(NULL);
	return nowhere;
}

/*
 * Does a thread that its pointer does not identify count in its own cells?  The first thread of a
 * process does; the child of a vfork may too, as it shares its parent's memory and cells.
 */
static bool owns_by_number(uint64_t *cells, uint64_t pointer, int32_t tid)
{
	if (tid != sys_getpid())
		return *cells == (uint64_t)tid;
	/* It has a pointer by now. */
	if (*cells == (uint64_t)tid && pointer)
		*cells = pointer;
	return true;
}

void __ldx_threads_check(void)
{
	uint64_t *cells = __ldx_threads ? cells_at(gs_base()) : NULL, *row;
	if (!cells || cells == nowhere)
		return;
	uint64_t self = thread_pointer();
	bool certain = by_pointer() || (self && *cells > TID_LAST && *cells != self);
	if (certain && *cells == self)
		return;
	bool numbered = !certain || !(__ldx_info.flags & LDX_INFO_AHEAD);
	int32_t tid = numbered ? (int32_t)sys_gettid() : TID_UNKNOWN;
	if (!certain && owns_by_number(cells, self, tid))
		return;
	self = certain ? self : (uint64_t)tid;
	row = row_again(self, tid);
	row = row ? row : row_free(self, tid);
	row = row ? row : row_make(self, tid);
	row = row ? row : row_lost();
	if (row && !set_gs_base((uint64_t)row - (uint64_t)__ldx_cells()))
		__ldx_lost(false);
}

void __ldx_noticed(void)
{
	__ldx_child();
	__ldx_threads_check();
}
