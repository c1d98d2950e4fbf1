/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joint.c - threads of the program have the bases that its libraries give them; see joint.h
 */
#include "runtime/joint.h"
#include "runtime/bases.h"
#include "runtime/sys.h"

#include "stack.h"

#include <signal.h>
#include <sys/mman.h>

enum { JOINT_STACK = 8192 };

static struct {
	struct bases *all; /* NULL: the program has its own */
	uint64_t self;	   /* the pointer of the thread that has the lock */
	bool given, over;  /* over: no library uses bases */
	char stack[JOINT_STACK] __attribute__((aligned(16)));
} shared;

static bool turn_ready(void)
{
	return true;
}

static bool pass_row(uint32_t n, uint64_t self)
{
	return __ldx_window_pass(shared.all, n, self);
}

/* Threads that have a row keep it. */
static bool give_up(void)
{
	return true;
}

void __ldx_joint_begin(const struct rt_start *s)
{
	const struct member m = {.turn = turn_ready, .row = pass_row, .give_up = give_up};
	struct bases *b = __ldx_bases_find(s);
	struct sys_signals every = sys_all_signals(), old;
	if (!b)
		return;
	sys_sigmask(SIG_BLOCK, &every, &old);
	__ldx_lock_take(&b->lock);
	shared.all = b;
	b->program = __ldx_bases_join(b, &m);
	if (!b->program)
		shared.all = NULL;
	__ldx_lock_give(&b->lock);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

/* A base that this thread has or may have, and a row there. */
static bool take_shared_row(struct bases *b, uint64_t self)
{
	uint64_t base = __ldx_base();
	uint32_t n = __ldx_bases_number(b, base);
	if (b->off || (base && n == BASES) || (!b->n && !__ldx_bases_begin(b)))
		return false;
	if (n == BASES || b->owner[n].self != self)
		n = __ldx_bases_take(b, self);
	if (n == BASES || !__ldx_window_own(b, n, self))
		return false;
	__ldx_base_set(__ldx_bases_at(b, n));
	return true;
}

/*
 * Without it, the program has its own bases from now on, and no library may use any.  If one cannot
 * stop doing so, the thread keeps its creator's base.
 */
static void take_shared(void)
{
	shared.given = take_shared_row(shared.all, shared.self);
	if (shared.given)
		return;
	shared.over = __ldx_bases_give_up(shared.all);
	if (!shared.over)
		__ldx_lost(false);
	shared.given = !shared.over;
}

/* Not inlined: what follows where it has no row to give would keep its room on the stack. */
__attribute__((noinline)) bool __ldx_joint_get(uint64_t self)
{
	struct sys_signals every = sys_all_signals(), old;
	if (!shared.all || __atomic_load_n(&shared.over, __ATOMIC_SEQ_CST))
		return false;
	sys_sigmask(SIG_BLOCK, &every, &old);
	__ldx_lock_take(&shared.all->lock);
	shared.self = self;
	call_with(take_shared, shared.stack + sizeof shared.stack);
	bool given = shared.given;
	__ldx_lock_give(&shared.all->lock);
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return given;
}

/* A child begins without bases, as its libraries do. */
void __ldx_joint_child(void)
{
	struct bases *b = shared.all;
	if (!b)
		return;
	if (!b->pid)
		b->pid = (uint64_t)sys_getpid();
	if (sys_gettid() != sys_getpid())
		b->off = 1; /* a thread of the child, while its first one has a base */
	else if (__ldx_bases_number(b, __ldx_base()) != BASES)
		__ldx_base_set(0);
	__ldx_windows_child();
}
