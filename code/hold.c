/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.c - code for counters that a register holds; see sequence.h
 */
#include "code/regs.h"
#include "code/sequence.h"

/* Add register reg to the counter in memory, or (less) subtract it. */
static void end_register(const struct target *t, struct code *c, bool less,
	const struct counter_addressing *to, int64_t off, unsigned reg, regset dead)
{
	regset temps = pick_regs(t, t->micro->memory_regs[to->access], dead, REG_BIT(reg));
	keep_regs(t, c, temps & ~dead);
	if (less)
		t->micro->take_from(c, to, off, reg, temps);
	else
		t->micro->add_to(c, to, off, reg, temps);
	restore_regs(t, c, temps & ~dead);
}

/* Where the register has the low bits of a counter only, it carries to the others in memory. */
static void count_register(const struct target *t, struct code *c,
	const struct counter_addressing *to, int64_t off, unsigned reg, regset dead)
{
	const struct micro *m = t->micro;
	m->add(c, reg, 1, dead);
	if (!m->branch_unless_wrapped)
		return;
	uint32_t branch = m->branch_unless_wrapped(c, reg);
	regset temps = pick_regs(t, m->memory_regs[to->access], dead, REG_BIT(reg));
	keep_regs(t, c, temps & ~dead);
	m->carry(c, to, off, temps);
	restore_regs(t, c, temps & ~dead);
	m->land(c, branch);
}

/*
 * The integer register by way of which a vector register is read: a dead one, or *kept, one that is
 * saved in the unit's register.
 */
static unsigned begin_integer(const struct target *t, struct code *c, unsigned vector, regset dead,
	regset *kept)
{
	regset reg = pick_regs(t, 1, dead, 0);
	*kept = reg & ~dead;
	if (*kept)
		t->micro->move(c, lowest_reg(t->micro->hold_unit), lowest_reg(reg));
	t->micro->move(c, lowest_reg(reg), vector);
	return lowest_reg(reg);
}

static void end_integer(const struct target *t, struct code *c, regset kept)
{
	if (kept)
		t->micro->move(c, lowest_reg(kept), lowest_reg(t->micro->hold_unit));
}

static void end_vector(const struct target *t, struct code *c, bool less,
	const struct counter_addressing *to, int64_t off, unsigned vector, regset dead)
{
	regset kept;
	unsigned reg = begin_integer(t, c, vector, dead, &kept);
	end_register(t, c, less, to, off, reg, dead);
	end_integer(t, c, kept);
}

static void divide_vector(const struct target *t, struct code *c, unsigned vector, unsigned by,
	regset dead)
{
	regset kept;
	unsigned reg = begin_integer(t, c, vector, dead, &kept);
	t->micro->shift(c, reg, by);
	t->micro->move(c, vector, reg);
	end_integer(t, c, kept);
}

static void subtract_from_vector(const struct target *t, struct code *c, unsigned vector,
	unsigned by)
{
	unsigned unit = lowest_reg(t->micro->hold_unit);
	t->micro->move(c, unit, by);
	t->micro->subtract(c, vector, unit);
}

/* Set a vector register to 0, and the unit to -1; or increment it by subtracting the unit. */
static void hold_vector(const struct target *t, struct code *c, bool begin, unsigned reg,
	regset dead)
{
	unsigned unit = lowest_reg(t->micro->hold_unit);
	if (!begin) {
		t->micro->subtract(c, reg, unit);
		return;
	}
	t->micro->set(c, unit, -1, dead);
	t->micro->set(c, reg, 0, dead);
}

static void hold_in_vector(const struct target *t, struct code *c, enum hold what,
	const struct counter_addressing *to, int64_t off, unsigned reg, unsigned by, regset dead)
{
	switch (what) {
	case HOLD_BEGIN:
	case HOLD_COUNT: hold_vector(t, c, what == HOLD_BEGIN, reg, dead); break;
	case HOLD_FOLLOW: t->micro->move(c, reg, by); break;
	case HOLD_FETCH:
	case HOLD_STEP: break;
	case HOLD_DISTANCE: subtract_from_vector(t, c, reg, by); break;
	case HOLD_DIVIDE: divide_vector(t, c, reg, by, dead); break;
	case HOLD_END:
	case HOLD_END_LESS: end_vector(t, c, what != HOLD_END, to, off, reg, dead); break;
	}
}

static void hold_in_integer(const struct target *t, struct code *c, enum hold what,
	const struct counter_addressing *to, int64_t off, unsigned reg, unsigned by, regset dead)
{
	const struct micro *m = t->micro;
	switch (what) {
	case HOLD_BEGIN: m->set(c, reg, 0, dead); break;
	case HOLD_COUNT: count_register(t, c, to, off, reg, dead); break;
	case HOLD_FOLLOW:
	case HOLD_FETCH: m->move(c, reg, by); break;
	case HOLD_STEP: break;
	case HOLD_DISTANCE: m->subtract(c, reg, by); break;
	case HOLD_DIVIDE: m->shift(c, reg, by); break;
	case HOLD_END:
	case HOLD_END_LESS: end_register(t, c, what != HOLD_END, to, off, reg, dead); break;
	}
}

void code_hold(const struct target *t, struct code *c, enum hold what,
	const struct counter_addressing *to, int64_t off, unsigned reg, unsigned by, regset dead)
{
	uint32_t start = c->bytes.n;
	if (t->micro->hold_vectors & REG_BIT(reg))
		hold_in_vector(t, c, what, to, off, reg, by, dead);
	else
		hold_in_integer(t, c, what, to, off, reg, by, dead);
	code_claim(c, start,
		(struct claim){.kind = CLAIM_HELD,
			.hold = (uint8_t)what,
			.counter = off,
			.reg = (uint8_t)reg,
			.by = (uint8_t)by});
}
