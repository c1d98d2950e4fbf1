/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - counters for each thread, as cheap as shared ones
 *
 * An increment addresses %gs:counter.  When the %gs base is 0, as at the start of a program, that
 * is the counter itself.  The base of a thread with its own cells is the distance from the
 * program's cells to them: an increment needs no register and no load, and works before the thread
 * is set up.  On other CPUs a thread-local word has the distance, which increments load
 * (tls-row.h).
 *
 * A new thread inherits the base of its creator, or begins with 0.  It is detected before it
 * counts: if the libc is linked statically, behind the system call that made the thread; else at
 * the entry of the thread's first function in the program.  That function is called by address, and
 * address-taken functions compare cell 0 with the thread pointer.  In a static program cell 0 may
 * have the thread number instead.
 *
 * Cells are rows of a slot of the profile, so nothing has to be done when a thread ends: a row is
 * taken again when its owner is found to have ended.  Some rows are prepared where a filter
 * (seccomp(2)) may forbid system calls.
 *
 * New threads visit the other rows in turn, one after the other, and take the first whose owner has
 * ended.  When all were visited, or nearly all so that no thread has to wait, a sample tells
 * whether at least a quarter of the owners have ended; if not, there are a quarter more rows.  So a
 * new thread makes at most about four system calls to find a row, however many threads there are,
 * and there are about a third more rows than there were threads at once.
 *
 * If the program starts with instrumented libraries, threads have the bases of these (bases.h): its
 * rows are then where such a base says (windows.c), as long as there are any.
 */
#include "runtime/joint.h"
#include "runtime/sys.h"

#include "row.h"
#include "stack.h"

#include <asm/errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>

enum {
	TID_LAST = 1 << 22, /* none is greater; thread pointers are */
	AHEAD_MIN = 4,
	AHEAD_MAX = 32,
	AHEAD_BYTES = 2 << 20, /* the number of rows is what fits, within these limits */
	BANKS = 128,	       /* each has a quarter more than those before it */
	SHARE = 4,
	SAMPLE = 64,
	FEW = 8,
	STACK_BYTES = 4096,
	ROW_SHORT = 8 * LDX_PAGE,
};

/* state: the number of the thread in the low half, 0: the row was never used; the high half changes
 * with each owner. */
struct owner {
	uint64_t state, self;
};
#define BUSY 0xffffffffu /* in place of a thread's number: a new owner is being written */
#define TURN ((uint64_t)1 << 32)

/* Adjacent rows of cells.  Cell 0 of each is its owner's thread pointer. */
struct bank {
	uint64_t first; /* the number of its first row */
	uint64_t *cells;
	struct owner *owner;
};

uint32_t __ldx_threads;
static uint64_t *nowhere; /* cells for threads that have no row, never read */

/* Rows that are taken without a system call: of a thread with this pointer, 0: of none. */
static struct {
	uint64_t *cells, n, self[AHEAD_MAX];
} ahead;

/*
 * All other rows.  Only the first two change outside the lock.  visits: the row to visit next, or
 * more; part: rows were added since all were visited; sampled: rows, in all.
 */
static struct {
	uint64_t visits;
	uint32_t lock; /* 0: free, 1: held, 2: held, and others wait */
	bool part;
	uint64_t n, nbanks, sampled;
	struct bank bank[BANKS];
	uint64_t self;	/* the pointer of the thread that has the lock */
	bool few, more; /* what rows_again() is told, and what it says */
} rows;
static char stack[STACK_BYTES] __attribute__((aligned(16)));

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

/* 0: it has none, or only a system call could tell. */
static uint64_t thread_pointer(void)
{
	return row_self(by_pointer());
}

void __ldx_threads_begin(const struct rt_start *s)
{
	__ldx_threads = __ldx_info.flags & LDX_INFO_THREADS ? 1 : 0;
	row_begin(s);
	if (__ldx_threads && by_pointer() && !(__ldx_info.flags & LDX_INFO_AHEAD) &&
		!__ldx_control_has() && !row_base())
		__ldx_joint_begin(s);
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
	uint64_t base = __ldx_threads ? row_base() : 0;
	if (__ldx_threads && __ldx_process != base)
		__ldx_process = base;
	return cells_at(base);
}

void __ldx_threads_own(void)
{
	uint64_t self = __ldx_threads ? thread_pointer() : 0;
	if (__ldx_threads)
		*cells_at(row_base()) = self ? self : (uint64_t)sys_gettid();
}

/*
 * A forked child has no other threads; their cells are still mapped, but belong to the parent.  A
 * page that it does not write to is not copied.
 */
uint64_t *__ldx_threads_child(void)
{
	if (!__ldx_threads)
		return __ldx_cells();
	__ldx_joint_child();
	if (ahead.n || rows.visits || rows.n || rows.lock || nowhere) {
		ahead.n = 0;
		rows.visits = rows.n = rows.nbanks = 0;
		rows.part = false;
		nowhere = NULL;
		__atomic_store_n(&rows.lock, 0, __ATOMIC_RELEASE);
	}
	return __ldx_threads_cells();
}

/* Where bases are not negative, rows below the program's cells are moved.  NULL: they cannot be. */
void *__ldx_threads_place(void *at, uint64_t size)
{
	const uint64_t step = (uint64_t)1 << 40, end = (uint64_t)1 << 46;
	uintptr_t least = (uintptr_t)__ldx_cells();
	for (uint64_t far = step; ROW_ABOVE && (uintptr_t)at < least; far += step) {
		long r = sys_mmap((void *)(least + far), size, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (sys_failed(r) || far >= end)
			return NULL;
		if ((uintptr_t)r >= least &&
			!sys_failed(sys_mremap(at, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)r)))
			return (void *)r;
		sys_munmap((void *)r, size);
	}
	return at;
}

static uint64_t *row_at(uint64_t *cells, uint64_t i)
{
	return cells + i * (__ldx_cells_size() / 8);
}

void __ldx_threads_rows(uint64_t *cells, uint64_t n)
{
	if (!__ldx_threads)
		return;
	uint64_t early = __ldx_info.flags & LDX_INFO_AHEAD && !ahead.n ? n : 0;
	early = early > AHEAD_MAX ? AHEAD_MAX : early;
	for (uint64_t i = 0; i < early; i++)
		*row_at(cells, i) = ahead.self[i] = 0;
	ahead.cells = early ? cells : ahead.cells;
	ahead.n = early ? early : ahead.n;
	/* A thread touches few pages of a long row: the kernel need not read those around them. */
	if (__ldx_cells_size() > ROW_SHORT)
		sys_madvise(cells, n * __ldx_cells_size(), MADV_RANDOM);
	cells = row_at(cells, early);
	n -= early;
	long owners = n && rows.nbanks < BANKS
		? sys_mmap(NULL, n * sizeof(struct owner), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
		: -1;
	if (sys_failed(owners))
		return;
	rows.bank[rows.nbanks] = (struct bank){rows.n, cells, (struct owner *)owners};
	__atomic_store_n(&rows.nbanks, rows.nbanks + 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&rows.n, rows.n + n, __ATOMIC_SEQ_CST);
}

static uint64_t *row_ahead(uint64_t self)
{
	for (uint64_t i = 0; i < ahead.n; i++) {
		uint64_t *owner = &ahead.self[i], before = __atomic_load_n(owner, __ATOMIC_SEQ_CST);
		if (before == self ||
			(!before &&
				__atomic_compare_exchange_n(owner, &before, self, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)))
			return row_at(ahead.cells, i);
	}
	return NULL;
}

/*
 * May a thread take the row of this owner?  It had the same pointer, and so has ended, or is this
 * thread, when a signal handler interrupted it here; or the kernel says so.
 */
static bool has_left(const struct owner *o, uint64_t state, uint64_t self)
{
	if ((uint32_t)state == BUSY)
		return false;
	return !state || __atomic_load_n(&o->self, __ATOMIC_SEQ_CST) == self ||
		sys_tgkill(sys_getpid(), (int32_t)state, 0) == -ESRCH;
}

static bool row_take(struct owner *o, uint64_t self, int32_t tid)
{
	uint64_t state = __atomic_load_n(&o->state, __ATOMIC_SEQ_CST),
		 next = ((state | BUSY) + TURN);
	if (!has_left(o, state, self) ||
		!__atomic_compare_exchange_n(&o->state, &state, next, false, __ATOMIC_SEQ_CST,
			__ATOMIC_SEQ_CST))
		return false;
	__atomic_store_n(&o->self, self, __ATOMIC_SEQ_CST);
	__atomic_store_n(&o->state, next - BUSY + (uint32_t)tid, __ATOMIC_SEQ_CST);
	return true;
}

static const struct bank *bank_of(uint64_t row)
{
	const struct bank *b = &rows.bank[__atomic_load_n(&rows.nbanks, __ATOMIC_SEQ_CST) - 1];
	while (row < b->first)
		b--;
	return b;
}

/* Visit the rows that are left.  *few is set in one visit of each round, near its end. */
static uint64_t *row_next(uint64_t self, int32_t tid, bool *few)
{
	for (;;) {
		uint64_t i = __atomic_fetch_add(&rows.visits, 1, __ATOMIC_SEQ_CST),
			 n = __atomic_load_n(&rows.n, __ATOMIC_SEQ_CST);
		if (i >= n)
			return NULL;
		*few |= i == n - n / FEW;
		const struct bank *b = bank_of(i);
		if (row_take(&b->owner[i - b->first], self, tid))
			return row_at(b->cells, i - b->first);
	}
}

static void rows_add(void)
{
	uint64_t n = rows.n / SHARE + 1;
	uint64_t *cells = __ldx_more_rows(&n);
	if (!cells && n > 1) {
		n = 1;
		cells = __ldx_more_rows(&n);
	}
	if (cells)
		__ldx_threads_rows(cells, n);
	else if (!nowhere)
		nowhere = __ldx_private_cells(NULL);
}

/* Have the owners of a good share of rows ended, by a sample? */
static bool many_left(void)
{
	uint64_t size = rows.n < SAMPLE ? rows.n : SAMPLE, left = 0;
	for (uint64_t i = 0; i < size; i++) {
		uint64_t row = (rows.sampled + i * rows.n / size) % rows.n;
		const struct bank *b = bank_of(row);
		const struct owner *o = &b->owner[row - b->first];
		left += has_left(o, __atomic_load_n(&o->state, __ATOMIC_SEQ_CST), rows.self);
	}
	rows.sampled += size;
	return left * SHARE > size;
}

/* All rows were visited, or only few are left: begin again, or add some. */
static void rows_again(void)
{
	uint64_t before = rows.n;
	bool visited = __atomic_load_n(&rows.visits, __ATOMIC_SEQ_CST) >= before;
	rows.more = true;
	if (!visited && !rows.few)
		return;
	bool again = many_left(), part = rows.part;
	if (!again)
		rows_add();
	bool added = rows.n > before;
	rows.part = added || (part && !visited);
	if (visited)
		__atomic_store_n(&rows.visits, added ? before : 0, __ATOMIC_SEQ_CST);
	rows.more = again || part || added;
}

/*
 * With the lock, unless another thread has it, and without signals, whose handlers would wait for
 * ever.  False: there are no more rows.
 */
static bool rows_again_alone(uint64_t self, bool few)
{
	static const struct sys_signals all = {{~(uint64_t)0}};
	struct sys_signals old;
	uint32_t lock = 0;
	bool more = true;
	sys_sigmask(SIG_BLOCK, &all, &old);
	if (__atomic_compare_exchange_n(&rows.lock, &lock, 1, false, __ATOMIC_ACQUIRE,
		    __ATOMIC_ACQUIRE)) {
		rows.self = self;
		rows.few = few;
		call_with(rows_again, stack + sizeof stack);
		more = rows.more;
		if (__atomic_exchange_n(&rows.lock, 0, __ATOMIC_RELEASE) == 2)
			sys_futex(&rows.lock, FUTEX_WAKE_PRIVATE, INT32_MAX);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return more;
}

/* Another thread looks for more rows: wait until it has. */
static bool rows_wait(void)
{
	uint32_t lock = 1;
	bool held = __atomic_compare_exchange_n(&rows.lock, &lock, 2, false, __ATOMIC_ACQUIRE,
			    __ATOMIC_ACQUIRE) ||
		lock;
	if (held)
		sys_futex(&rows.lock, FUTEX_WAIT_PRIVATE, 2);
	return held;
}

static uint64_t *row_get(uint64_t self, int32_t tid)
{
	uint64_t *row = row_ahead(self);
	bool few = false;
	if (!row && !tid)
		tid = (int32_t)sys_gettid();
	while (!row && !(row = row_next(self, tid, &few)) &&
		(rows_wait() || rows_again_alone(self, false)))
		;
	if (row)
		__atomic_store_n(row, self, __ATOMIC_SEQ_CST);
	if (few)
		rows_again_alone(self, true);
	return row;
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

/*
 * Give the thread a row.  Without one, it counts in cells that are never read: its creator's counts
 * would be damaged.
 */
__attribute__((noinline)) static void take_row(uint64_t self, int32_t tid)
{
	uint64_t *row = row_get(self, tid);
	if (!row)
		__ldx_lost(false);
	row = row ? row : nowhere;
	if (row && !row_set((uint64_t)row - (uint64_t)__ldx_cells()) && row != nowhere)
		__ldx_lost(false);
	rt_tell(LDX_AT_THREAD, NULL);
}

void __ldx_threads_check(void)
{
	uint64_t *cells = __ldx_threads ? cells_at(row_base()) : NULL;
	if (!cells || cells == nowhere)
		return;
	uint64_t self = thread_pointer();
	bool certain = by_pointer() || (self && *cells > TID_LAST && *cells != self);
	if (certain && *cells == self)
		return;
	if (certain && __ldx_joint_get(self)) {
		rt_tell(LDX_AT_THREAD, NULL);
		return;
	}
	int32_t tid = certain ? 0 : (int32_t)sys_gettid();
	if (!certain && owns_by_number(cells, self, tid))
		return;
	take_row(certain ? self : (uint64_t)tid, tid);
}

void __ldx_noticed(void)
{
	__ldx_child();
	__ldx_threads_check();
}
