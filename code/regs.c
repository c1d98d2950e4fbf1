/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regs.c - temporary registers of a sequence; see regs.h
 */
#include "code/regs.h"

regset pick_regs(const struct target *t, unsigned n, regset dead, regset taken)
{
	regset regs = 0, scratch = target_scratch(t);
	for (; n; n--) {
		regset left = scratch & ~(taken | regs), best = left & dead ? left & dead : left;
		regs |= best & -best;
	}
	return regs;
}

void push_regs(const struct target *t, struct code *c, regset regs)
{
	for (; regs; regs &= regs - 1)
		t->micro->push(c, lowest_reg(regs));
}

void pop_regs(const struct target *t, struct code *c, regset regs)
{
	while (regs) {
		unsigned reg = highest_reg(regs);
		t->micro->pop(c, reg);
		regs &= ~REG_BIT(reg);
	}
}

void leave_red_zone(const struct target *t, struct code *c)
{
	if (t->micro->red_zone)
		t->micro->add(c, t->stack_reg, -t->micro->red_zone, 0);
}

void return_to_red_zone(const struct target *t, struct code *c)
{
	if (t->micro->red_zone)
		t->micro->add(c, t->stack_reg, t->micro->red_zone, 0);
}

static bool is_pair(const struct target *t, regset regs)
{
	return t->micro->push_pair && count_regs(regs) == 2;
}

void keep_regs(const struct target *t, struct code *c, regset regs)
{
	if (regs)
		leave_red_zone(t, c);
	if (is_pair(t, regs))
		t->micro->push_pair(c, lowest_reg(regs), highest_reg(regs));
	else
		push_regs(t, c, regs);
}

void restore_regs(const struct target *t, struct code *c, regset regs)
{
	if (is_pair(t, regs))
		t->micro->pop_pair(c, lowest_reg(regs), highest_reg(regs));
	else
		pop_regs(t, c, regs);
	if (regs)
		return_to_red_zone(t, c);
}
