/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.c - counters of a shared object, which are plain until a second thread comes
 *
 * With one-row.c in place of threads.c.  Most processes run a library in one thread, where an
 * atomic increment takes many times as long as a plain one.  The functions by which a thread may
 * enter the library compare cell 0 with the thread pointer, as in threads.c; the first thread that
 * comes here owns the cell.  A second one makes all increments of the library atomic before it
 * counts: a prefix that has no effect becomes `lock', and the checks pass.  That is for good:
 * nothing tells whether the owner, or another thread with its pointer, is still there.
 *
 * The other thread may execute the code meanwhile.  Each change is of one byte, and the instruction
 * is as long as before, so it is the old or the new one.  A store to code reaches all processors;
 * what a processor had fetched before, it executes long before mprotect(2) returns here, which
 * takes away the permission to write from all of them by an interrupt.  Only then checks pass.
 *
 * hazard: second thread in a library.  It may be made by a plain program or another library;
 * nothing tells the runtime of it.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>

enum { LOCK = 0xf0, IDLE = 0x3e, IF_EQUAL = 0x74, ALWAYS = 0xeb };

extern const struct ldx_turns __ldx_turns[] __attribute__((visibility("hidden")));

uint32_t __ldx_threads = 1; /* until all threads may enter */
static uint64_t owner;
static uint32_t lock; /* 0: free, 1: held, 2: held, and others wait */
static bool turning;

void __ldx_threads_own(void)
{
	*__ldx_cells() = owner;
}

/* ELF Handling for Thread-Local Storage, 3.4.2: %fs:0 holds the thread pointer. */
static uint64_t thread_pointer(void)
{
	uint64_t self;
	__asm__ volatile("mov %%fs:0, %0" : "=r"(self));
	return self;
}

static uint8_t *code_at(const struct ldx_turns *t, uint64_t off)
{
	return (uint8_t *)(uintptr_t)rt_at(&t->start) + off;
}

static uintptr_t page_of(const uint8_t *p)
{
	return (uintptr_t)p & ~(uintptr_t)(LDX_PAGE - 1);
}

static const struct ldx_turns *next_part(const struct ldx_turns *t)
{
	return (const struct ldx_turns *)((const char *)(t + 1) + t->size);
}

static void turn_part(const struct ldx_turns *t, uint8_t from, uint8_t to)
{
	const uint8_t *p = (const uint8_t *)(t + 1);
	uint64_t off = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		unsigned shift = 0;
		for (; *p & 0x80; shift += 7)
			off += (uint64_t)(*p++ & 0x7f) << shift;
		off += (uint64_t)*p++ << shift;
		uint8_t *at = code_at(t, off);
		if (*at == from)
			__atomic_store_n(at, to, __ATOMIC_SEQ_CST);
	}
}

/*
 * Change these bytes in parts first..end, which lie in adjacent pages.  False: code must not be
 * changed.
 */
static bool turn_parts(const struct ldx_turns *first, const struct ldx_turns *end, uintptr_t at,
	uintptr_t behind, uint8_t from, uint8_t to)
{
	if (sys_failed(sys_mprotect((void *)at, behind - at, PROT_READ | PROT_WRITE | PROT_EXEC)))
		return false;
	for (; first < end; first = next_part(first))
		turn_part(first, from, to);
	return !sys_failed(sys_mprotect((void *)at, behind - at, PROT_READ | PROT_EXEC));
}

static bool turn(uint8_t from, uint8_t to)
{
	const struct ldx_turns *t = next_part(__ldx_turns);
	bool done = true;
	while (t->n) {
		const struct ldx_turns *first = t;
		uintptr_t at = page_of(code_at(t, t->first)), behind = at;
		for (; t->n && page_of(code_at(t, t->first)) - at <= behind - at; t = next_part(t))
			if (page_of(code_at(t, t->last)) >= behind)
				behind = page_of(code_at(t, t->last)) + LDX_PAGE;
		done &= turn_parts(first, t, at, behind, from, to);
	}
	return done;
}

static void turn_all(void)
{
	turning = true;
	if (!turn(IDLE, LOCK) || !turn(IF_EQUAL, ALWAYS))
		__ldx_lost(false);
	turning = false;
	__atomic_store_n(&__ldx_threads, 0, __ATOMIC_SEQ_CST);
}

/* A forked child has one thread; another one of the parent may have been here. */
uint64_t *__ldx_threads_child(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_SEQ_CST);
	if (turning)
		turn_all();
	owner = thread_pointer();
	return __ldx_cells();
}

static void take_lock(void)
{
	uint32_t free = 0;
	if (__atomic_compare_exchange_n(&lock, &free, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	while (__atomic_exchange_n(&lock, 2, __ATOMIC_SEQ_CST))
		sys_futex(&lock, FUTEX_WAIT_PRIVATE, 2);
}

static void give_lock(void)
{
	if (__atomic_exchange_n(&lock, 0, __ATOMIC_SEQ_CST) == 2)
		sys_futex(&lock, FUTEX_WAKE_PRIVATE, 1);
}

/* Without signals, whose handlers would wait for ever. */
void __ldx_threads_check(void)
{
	uint64_t self = thread_pointer();
	struct sys_signals all = sys_all_signals(), old;
	if (!__atomic_load_n(&__ldx_threads, __ATOMIC_SEQ_CST))
		return;
	sys_sigmask(SIG_BLOCK, &all, &old);
	take_lock();
	owner = owner ? owner : self;
	if (owner == self)
		*__ldx_cells() = self;
	else if (__ldx_threads)
		turn_all();
	give_lock();
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void __ldx_noticed(void)
{
	__ldx_child();
	__ldx_threads_check();
}
