/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.c - code for counters that a register holds; see sequence.h
 */
#include "code/regs.h"
#include "code/sequence.h"

/* Add register reg to the counter in memory, or subtract it. */
static void end_register(const struct target *t, struct code *c, const struct holding *h,
	unsigned reg)
{
	const struct micro *m = t->micro;
	regset temps =
		pick_regs(t, m->memory_regs[h->counter.to->access], h->counter.dead, REG_BIT(reg));
	keep_regs(t, c, temps & ~h->counter.dead);
	(h->what == HOLD_END_LESS ? m->take_from : m->add_to)(c, h->counter.to, h->counter.off, reg,
		temps);
	restore_regs(t, c, temps & ~h->counter.dead);
}

/* Where the register has the low bits of a counter only, it carries to the others in memory. */
static void count_register(const struct target *t, struct code *c, const struct holding *h)
{
	const struct micro *m = t->micro;
	m->add(c, h->reg, 1, h->counter.dead);
	if (!m->branch_unless_wrapped)
		return;
	uint32_t branch = m->branch_unless_wrapped(c, h->reg);
	regset temps = pick_regs(t, m->memory_regs[h->counter.to->access], h->counter.dead,
		REG_BIT(h->reg));
	keep_regs(t, c, temps & ~h->counter.dead);
	m->carry(c, h->counter.to, h->counter.off, temps);
	restore_regs(t, c, temps & ~h->counter.dead);
	m->land(c, branch);
}

/*
 * The integer register by way of which the vector register is read: a dead one, or *kept, one that
 * is saved in the unit's register.
 */
static unsigned begin_integer(const struct target *t, struct code *c, const struct holding *h,
	regset *kept)
{
	regset reg = pick_regs(t, 1, h->counter.dead, 0);
	*kept = reg & ~h->counter.dead;
	if (*kept)
		t->micro->move(c, lowest_reg(t->micro->hold_unit), lowest_reg(reg));
	t->micro->move(c, lowest_reg(reg), h->reg);
	return lowest_reg(reg);
}

static void end_integer(const struct target *t, struct code *c, regset kept)
{
	if (kept)
		t->micro->move(c, lowest_reg(kept), lowest_reg(t->micro->hold_unit));
}

static void end_vector(const struct target *t, struct code *c, const struct holding *h)
{
	regset kept;
	end_register(t, c, h, begin_integer(t, c, h, &kept));
	end_integer(t, c, kept);
}

static void divide_vector(const struct target *t, struct code *c, const struct holding *h)
{
	regset kept;
	unsigned reg = begin_integer(t, c, h, &kept);
	t->micro->shift(c, reg, h->by);
	t->micro->move(c, h->reg, reg);
	end_integer(t, c, kept);
}

static void subtract_from_vector(const struct target *t, struct code *c, const struct holding *h)
{
	unsigned unit = lowest_reg(t->micro->hold_unit);
	t->micro->move(c, unit, h->by);
	t->micro->subtract(c, h->reg, unit);
}

/* A vector register counts by subtracting the unit, which is -1. */
static void begin_vector(const struct target *t, struct code *c, const struct holding *h)
{
	t->micro->set(c, lowest_reg(t->micro->hold_unit), -1, h->counter.dead);
	t->micro->set(c, h->reg, 0, h->counter.dead);
}

static void hold_in_vector(const struct target *t, struct code *c, const struct holding *h)
{
	switch (h->what) {
	case HOLD_BEGIN: begin_vector(t, c, h); break;
	case HOLD_COUNT: t->micro->subtract(c, h->reg, lowest_reg(t->micro->hold_unit)); break;
	case HOLD_FOLLOW: t->micro->move(c, h->reg, h->by); break;
	case HOLD_FETCH:
	case HOLD_STEP: break;
	case HOLD_DISTANCE: subtract_from_vector(t, c, h); break;
	case HOLD_DIVIDE: divide_vector(t, c, h); break;
	case HOLD_END:
	case HOLD_END_LESS: end_vector(t, c, h); break;
	}
}

static void hold_in_integer(const struct target *t, struct code *c, const struct holding *h)
{
	const struct micro *m = t->micro;
	switch (h->what) {
	case HOLD_BEGIN: m->set(c, h->reg, 0, h->counter.dead); break;
	case HOLD_COUNT: count_register(t, c, h); break;
	case HOLD_FOLLOW:
	case HOLD_FETCH: m->move(c, h->reg, h->by); break;
	case HOLD_STEP: break;
	case HOLD_DISTANCE: m->subtract(c, h->reg, h->by); break;
	case HOLD_DIVIDE: m->shift(c, h->reg, h->by); break;
	case HOLD_END:
	case HOLD_END_LESS: end_register(t, c, h, h->reg); break;
	}
}

void code_hold(const struct target *t, struct code *c, const struct holding *h)
{
	uint32_t start = c->bytes.n;
	(t->micro->hold_vectors & REG_BIT(h->reg) ? hold_in_vector : hold_in_integer)(t, c, h);
	code_claim(c, start,
		(struct claim){.kind = CLAIM_HELD,
			.hold = (uint8_t)h->what,
			.counter = h->counter.off,
			.reg = (uint8_t)h->reg,
			.by = (uint8_t)h->by});
}
