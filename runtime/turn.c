/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.c - counters of a shared object, which are plain until a second thread comes
 *
 * With bases.c, windows.c and one-row.c in place of threads.c.  Most processes run a library in one
 * thread, so increments are plain, with two prefixes that have no effect.  The functions by which a
 * thread may enter the library compare cell 0 with the thread pointer, as in threads.c; the first
 * thread that comes here owns the cell.  When a second one comes, the second prefix becomes `gs',
 * also that of the comparison: this changes nothing for a thread whose base is 0, and other threads
 * get bases of their own, and by them rows of counters, before they count.
 *
 * Where that is not possible, or no longer, the first prefix becomes `lock', then the second has no
 * effect again, and all comparisons pass: the threads share the counters.  It is possible if
 *  - the kernel lets programs set the base, and there is room for rows (bases.c);
 *  - the program has no counters, or takes part, and neither it nor the library controls them;
 *  - no code in the process sets the base, or filters system calls (hinders.c);
 *  - there are rows and bases for all threads.
 * All this is for good: nothing tells whether the owner, or another thread with its pointer, is
 * still there.
 *
 * The owner of cell 0 may be a thread that has ended: another one with its pointer passes.  If it
 * has the base of its creator, it would count there when the library turns.  So a library whose
 * owner is not the first thread of the process, which never loses its pointer, turns before any
 * thread gets a base.
 *
 * Other threads may execute the code meanwhile.  Each change is of one byte, and the instruction
 * is as long as before, so it is the old or the new one.  A store to code reaches all processors;
 * what a processor had fetched before, it executes long before mprotect(2) returns here, which
 * takes away the permission to write from all of them by an interrupt.  Only then does the next
 * step follow, or a thread pass.
 *
 * hazard: second thread in a library.  It may be made by a plain program or another library;
 * nothing tells the runtime of it.
 */
#include "runtime/bases.h"
#include "runtime/sys.h"

#include "stack.h"

#include <signal.h>
#include <sys/mman.h>

enum { IDLE = 0x3e, BASE = 0x65, LOCK = 0xf0, IF_EQUAL = 0x74, ALWAYS = 0xeb };
enum { TO_PREFIX = 8, STACK_BYTES = 8192 }; /* from a check's jump back to its prefix */

extern const struct ldx_turns __ldx_turns[] __attribute__((visibility("hidden")));

uint32_t __ldx_threads = 1; /* until all threads may enter */
static uint64_t owner;	    /* of the library's own cells: its thread pointer; 0: nobody was here */
static bool owner_first;    /* it is the first thread of the process */
static struct bases *bases; /* NULL: threads cannot have any here */
static bool by_base;
static bool instrumented; /* the program has counters */
static bool turning;
static uint32_t own_lock;
static uint64_t comes; /* the pointer of the thread that has the lock */
static char stack[STACK_BYTES] __attribute__((aligned(16)));

/* Code ------------------------------------------------------------------- */

/* Which prefixes have an effect, and whether checks pass. */
struct form {
	bool base, lock, passes;
};

static uint8_t *code_at(const struct ldx_turns *t, uint64_t off)
{
	return (uint8_t *)(uintptr_t)rt_at(&t->start) + off;
}

/* The pages in which something changes. */
static uintptr_t page_of(const uint8_t *p)
{
	return (uintptr_t)p & ~(uintptr_t)(LDX_PAGE - 1);
}
static uintptr_t first_page(const struct ldx_turns *t)
{
	return page_of(code_at(t, t->first) - TO_PREFIX);
}
static uintptr_t last_page(const struct ldx_turns *t)
{
	return page_of(code_at(t, t->last) + 1);
}

static const struct ldx_turns *next_part(const struct ldx_turns *t)
{
	return (const struct ldx_turns *)((const char *)(t + 1) + t->size);
}

static void put_byte(uint8_t *at, uint8_t byte)
{
	if (*at != byte)
		__atomic_store_n(at, byte, __ATOMIC_SEQ_CST);
}

static void turn_place(uint8_t *at, struct form to)
{
	uint8_t base = to.base ? BASE : IDLE;
	if (*at == IF_EQUAL || *at == ALWAYS) {
		put_byte(at - TO_PREFIX, base);
		put_byte(at, to.passes ? ALWAYS : IF_EQUAL);
	} else {
		put_byte(at, to.lock ? LOCK : IDLE);
		put_byte(at + 1, base);
	}
}

static void turn_part(const struct ldx_turns *t, struct form to)
{
	const uint8_t *p = (const uint8_t *)(t + 1);
	uint64_t off = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		unsigned shift = 0;
		for (; *p & 0x80; shift += 7)
			off += (uint64_t)(*p++ & 0x7f) << shift;
		off += (uint64_t)*p++ << shift;
		turn_place(code_at(t, off), to);
	}
}

/*
 * Change parts first..end, which lie in adjacent pages.  False: code must not be changed.
 */
static bool turn_parts(const struct ldx_turns *first, const struct ldx_turns *end, uintptr_t at,
	uintptr_t behind, struct form to)
{
	if (sys_failed(sys_mprotect((void *)at, behind - at, PROT_READ | PROT_WRITE | PROT_EXEC)))
		return false;
	for (; first < end; first = next_part(first))
		turn_part(first, to);
	return !sys_failed(sys_mprotect((void *)at, behind - at, PROT_READ | PROT_EXEC));
}

static bool turn(struct form to)
{
	const struct ldx_turns *t = next_part(__ldx_turns);
	bool done = true;
	turning = true;
	while (t->n) {
		const struct ldx_turns *first = t;
		uintptr_t at = first_page(t), behind = at;
		for (; t->n && first_page(t) - at <= behind - at; t = next_part(t))
			if (last_page(t) >= behind)
				behind = last_page(t) + LDX_PAGE;
		done &= turn_parts(first, t, at, behind, to);
	}
	turning = false;
	return done;
}

/* All threads share the counters: first all increments are atomic, whichever row they are in. */
static bool turn_atomic(void)
{
	bool done = turn((struct form){.base = by_base, .lock = true}) &&
		turn((struct form){.lock = true, .passes = true});
	if (!done)
		__ldx_lost(false);
	__atomic_store_n(&__ldx_threads, 0, __ATOMIC_SEQ_CST);
	return done;
}

/* Bases ------------------------------------------------------------------ */

static bool turn_ready(void);
static bool pass_row(uint32_t n, uint64_t self);
static bool give_up(void);

static struct member member(void)
{
	return (struct member){.turn = turn_ready, .row = pass_row, .give_up = give_up};
}

static bool pass_row(uint32_t n, uint64_t self)
{
	return !by_base || __ldx_window_pass(bases, n, self);
}

/* The owner of the library's own cells, who may be here, may have a base. */
static bool turn_by_base(void)
{
	for (uint32_t n = 0; n < bases->n; n++) {
		const struct base_owner *o = &bases->owner[n];
		if (!o->bad &&
			!(o->self == owner ? __ldx_window_own : __ldx_window_pass)(bases, n,
				o->self))
			return false;
	}
	by_base = true;
	if (turn((struct form){.base = true}))
		return true;
	__ldx_lost(false);
	return false;
}

static bool hindered(void)
{
	return (instrumented && !bases->program) || __ldx_bases_hindered(&bases->scanned);
}

static bool turn_ready(void)
{
	return by_base || !owner || owner_first || (!hindered() && turn_by_base());
}

/* What cannot be changed any more needs its rows: no thread may come that has none. */
static bool give_up(void)
{
	struct member m = member();
	if (!by_base)
		return true;
	bool done = turn_atomic();
	bases->off |= !done;
	by_base = !done;
	if (done)
		__ldx_bases_leave(bases, &m);
	return done;
}

void __ldx_threads_begin(const struct rt_start *s)
{
	struct bases *b = __ldx_control_has() ? NULL : __ldx_bases_attach(s);
	struct sys_signals all = sys_all_signals(), old;
	struct member m = member();
	instrumented = s->entry;
	sys_sigmask(SIG_BLOCK, &all, &old);
	__ldx_lock_take(&own_lock);
	if (b && __ldx_threads) {
		__ldx_lock_take(&b->lock);
		if (__ldx_bases_join(b, &m))
			__atomic_store_n(&bases, b, __ATOMIC_SEQ_CST);
		__ldx_lock_give(&b->lock);
	}
	__ldx_lock_give(&own_lock);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void __ldx_threads_own(void)
{
	*__ldx_cells() = owner;
}

/* Threads ---------------------------------------------------------------- */

/* ELF Handling for Thread-Local Storage, 3.4.2: %fs:0 holds the thread pointer. */
static uint64_t thread_pointer(void)
{
	uint64_t self;
	__asm__ volatile("mov %%fs:0, %0" : "=r"(self));
	return self;
}

/*
 * A forked child has one thread; another one of the parent may have been here.  Its rows are the
 * library's own cells again, where its new slot is mapped.
 */
uint64_t *__ldx_threads_child(void)
{
	struct bases *b = bases;
	__atomic_store_n(&own_lock, 0, __ATOMIC_SEQ_CST);
	if (b && !b->pid)
		b->pid = (uint64_t)sys_getpid();
	owner = thread_pointer();
	owner_first = sys_gettid() == sys_getpid();
	if (b)
		__ldx_windows_child();
	if (b && !owner_first)
		b->off = 1; /* a thread of the child, while its first one has a base */
	else if (b && __ldx_bases_number(b, __ldx_base()) != BASES)
		__ldx_base_set(0);
	if (turning || (b && b->off && by_base))
		(void)(by_base ? give_up() : turn_atomic());
	return __ldx_cells();
}

/* Does this thread count where no other does? */
static bool counts_alone(uint64_t self)
{
	const struct bases *b = __atomic_load_n(&bases, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&by_base, __ATOMIC_SEQ_CST))
		return __atomic_load_n(&owner, __ATOMIC_SEQ_CST) == self && *__ldx_cells() == self;
	uint64_t base = __ldx_base();
	uint32_t n = __ldx_bases_number(b, base);
	if (!base)
		return *__ldx_cells() == self;
	return n != BASES && __ldx_window_owned(n) &&
		__atomic_load_n(&b->owner[n].self, __ATOMIC_SEQ_CST) == self;
}

/* The first thread that comes.  Others may have bases already. */
static bool first_comes(uint64_t self)
{
	owner_first = bases && (uint64_t)sys_gettid() == bases->pid;
	if (bases && !bases->off && bases->n && !owner_first)
		return false;
	owner = self;
	return true;
}

static bool can_turn_by_base(void)
{
	return bases && !bases->off && !hindered() && __ldx_bases_begin(bases) &&
		(by_base || turn_by_base());
}

/* The number of a base for this thread, which has this one, with a row here; BASES: there is none.
 */
static uint32_t take_base(uint64_t self, uint64_t base)
{
	uint32_t n = __ldx_bases_number(bases, base);
	if (base && n == BASES)
		return BASES; /* somebody else set it */
	if (bases->off || (!by_base && !can_turn_by_base()))
		return BASES;
	if (n == BASES || bases->owner[n].self != self)
		n = __ldx_bases_take(bases, self);
	return n != BASES && __ldx_window_own(bases, n, self) ? n : BASES;
}

/* A second thread, or one that has no row here yet. */
static void next_comes(uint64_t self)
{
	uint32_t n = bases ? take_base(self, __ldx_base()) : BASES;
	if (n != BASES)
		__ldx_base_set(__ldx_bases_at(bases, n));
	else if (bases)
		__ldx_bases_give_up(bases);
	if (n == BASES && __ldx_threads)
		(void)(by_base ? give_up() : turn_atomic());
}

static void come(void)
{
	uint64_t self = comes;
	if (!by_base && !owner && first_comes(self))
		*__ldx_cells() = self;
	else if (!by_base && owner == self)
		*__ldx_cells() = self;
	else if (!counts_alone(self))
		next_comes(self);
}

/* Of the library alone, until it knows of others. */
static uint32_t *take_lock(void)
{
	for (;;) {
		struct bases *b = __atomic_load_n(&bases, __ATOMIC_SEQ_CST);
		uint32_t *lock = b ? &b->lock : &own_lock;
		__ldx_lock_take(lock);
		if (b == __atomic_load_n(&bases, __ATOMIC_SEQ_CST))
			return lock;
		__ldx_lock_give(lock);
	}
}

/* Without signals, whose handlers would wait for ever. */
void __ldx_threads_check(void)
{
	uint64_t self = thread_pointer();
	struct sys_signals all = sys_all_signals(), old;
	if (!__atomic_load_n(&__ldx_threads, __ATOMIC_SEQ_CST) || counts_alone(self))
		return;
	sys_sigmask(SIG_BLOCK, &all, &old);
	uint32_t *lock = take_lock();
	comes = self;
	if (__ldx_threads)
		call_with(come, stack + sizeof stack);
	__ldx_lock_give(lock);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

/* Others may still call the library, but nothing tells it of new threads any more. */
void __ldx_threads_end(void)
{
	struct sys_signals all = sys_all_signals(), old;
	struct member m = member();
	struct bases *b = bases;
	if (!b)
		return;
	sys_sigmask(SIG_BLOCK, &all, &old);
	uint32_t *lock = take_lock();
	if (give_up())
		__ldx_windows_leave(b);
	__ldx_bases_leave(b, &m);
	bases = by_base ? bases : NULL;
	__ldx_lock_give(lock);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void __ldx_noticed(void)
{
	__ldx_child();
	__ldx_threads_check();
}
