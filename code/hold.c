/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.c - code for counters that a register holds; see sequence.h
 */
#include "code/sequence.h"

/* As from an integer register: a free one, or one that the unit's register keeps meanwhile. */
static void end_vector(const struct target *t, struct code *c, const struct reach *to, int64_t off,
	unsigned vector, regset dead)
{
	const struct micro *m = t->micro;
	regset regs = dead & target_scratch(t);
	unsigned reg = lowest_reg(regs ? regs : target_scratch(t)), unit = lowest_reg(t->hold_unit);
	if (!regs)
		m->move(c, unit, reg);
	m->move(c, reg, vector);
	m->add_to(c, to, off, reg);
	if (!regs)
		m->move(c, reg, unit);
}

/* A vector register is set to 0, or incremented; the unit is -1. */
static void hold_vector(const struct target *t, struct code *c, bool begin, unsigned reg,
	regset dead)
{
	unsigned unit = lowest_reg(t->hold_unit);
	if (!begin) {
		t->micro->subtract(c, reg, unit);
		return;
	}
	t->micro->set(c, unit, -1, dead);
	t->micro->set(c, reg, 0, dead);
}

void code_hold(const struct target *t, struct code *c, enum hold what, const struct reach *to,
	int64_t off, unsigned reg, unsigned by, regset dead)
{
	const struct micro *m = t->micro;
	bool vector = t->hold_vectors & REG_BIT(reg);
	if (what != HOLD_END && what != HOLD_END_LESS)
		code_reloc(c, (struct reloc){ .type = R_NONE, .sym = to->sym,
			.addend = off + (what == HOLD_STEP) });
	if (vector && what == HOLD_END)
		end_vector(t, c, to, off, reg, dead);
	else if (vector && what < HOLD_END)
		hold_vector(t, c, what == HOLD_BEGIN, reg, dead);
	else switch (what) {
	case HOLD_BEGIN: m->set(c, reg, 0, dead); break;
	case HOLD_COUNT: m->add(c, reg, 1, dead); break;
	case HOLD_END: m->add_to(c, to, off, reg); break;
	case HOLD_FOLLOW:
	case HOLD_FETCH: m->move(c, reg, by); break;
	case HOLD_STEP: break;
	case HOLD_DISTANCE: m->subtract(c, reg, by); break;
	case HOLD_DIVIDE: m->shift(c, reg, by); break;
	case HOLD_END_LESS: m->take_from(c, to, off, reg); break;
	}
}
