/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - code that calls the runtime in new threads and processes; see sequence.h
 */
#include "code/regs.h"
#include "code/sequence.h"

/* The call pushes its return address, so it must be below the red zone. */
static void call_hook(const struct target *t, struct code *c, uint32_t hook)
{
	leave_red_zone(t, c);
	t->micro->call(c, hook);
	return_to_red_zone(t, c);
}

/*
 * At a function's entry there is no red zone.  If no register of base_regs is dead, the code saves
 * and uses the first one that passes no argument.
 */
static void check_at_entry(const struct target *t, struct code *c,
	const struct counter_addressing *to, uint32_t hook, regset dead)
{
	const struct micro *m = t->micro;
	regset unused = target_scratch(t) & ~t->abi.entry_live;
	regset regs = m->base_regs & (dead & m->base_regs ? dead : unused), self = regs & -regs;
	regset temps = pick_regs(t, m->memory_regs[ACCESS_PLAIN], dead, self);
	regset kept = (self | temps) & ~dead;
	push_regs(t, c, kept);
	m->thread_pointer(c, lowest_reg(self));
	uint32_t branch = m->branch_if_equal(c, lowest_reg(self), to, 0, temps);
	m->call(c, hook);
	m->land(c, branch);
	pop_regs(t, c, kept);
}

void code_thread_check(const struct target *t, struct code *c, const struct counter_addressing *to,
	uint32_t hook, regset dead)
{
	uint32_t start = c->bytes.n;
	if (target_flags(t) & ~dead)
		call_hook(t, c, hook);
	else
		check_at_entry(t, c, to, hook, dead);
	code_claim(c, start, (struct claim){.kind = CLAIM_THREAD});
}

void code_fork_check(const struct target *t, struct code *c, uint32_t hook, regset dead)
{
	uint32_t start = c->bytes.n, branch = t->micro->branch_unless_zero(c, dead);
	call_hook(t, c, hook);
	t->micro->land(c, branch);
	code_claim(c, start, (struct claim){.kind = CLAIM_FORK});
}
