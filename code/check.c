/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - code that tells the runtime of new threads and processes; see sequence.h
 */
#include "code/sequence.h"

/* The return address goes below the red zone. */
static void call_hook(const struct target *t, struct code *c, uint32_t hook)
{
	leave_red_zone(t, c);
	t->micro->call(c, hook);
	return_to_red_zone(t, c);
}

/*
 * At a function's entry nobody's red zone is below the stack pointer.  Without a free register it
 * takes the first in which no function is given anything.
 */
void code_thread_check(const struct target *t, struct code *c, const struct reach *to,
	uint32_t hook, regset dead)
{
	const struct micro *m = t->micro;
	regset regs = dead & m->base_regs, unused = target_scratch(t) & ~t->entry_live;
	unsigned reg = lowest_reg(regs ? regs : unused & m->base_regs);
	if (target_flags(t) & ~dead) {
		call_hook(t, c, hook);
		return;
	}
	if (!regs)
		m->push(c, reg);
	m->thread_pointer(c, reg);
	uint32_t branch = m->branch_if_equal(c, reg, to, 0);
	m->call(c, hook);
	m->land(c, branch);
	if (!regs)
		m->pop(c, reg);
}

void code_fork_check(const struct target *t, struct code *c, uint32_t hook, regset dead)
{
	uint32_t branch = t->micro->branch_unless_zero(c, dead);
	call_hook(t, c, hook);
	t->micro->land(c, branch);
}
