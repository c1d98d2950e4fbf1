/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - how a counter in memory is incremented; see sequence.h
 */
#include "code/sequence.h"

enum count_kind code_count_kind(const struct target *t, regset dead)
{
	if (!(t->micro->count_flags & ~dead))
		return COUNT_DIRECT;
	return dead & target_scratch(t) ? COUNT_FLAGS : COUNT_SAVE;
}

/* The flags are in register holder meanwhile; they stay as they are: that form is shorter. */
static void count_beside_flags(const struct target *t, struct code *c, const struct reach *to,
	int64_t off, unsigned holder, regset dead)
{
	const struct micro *m = t->micro;
	m->save_flags(c, holder, dead);
	m->increment(c, to, off, dead & ~(REGSET_FLAGS | REG_BIT(holder)));
	m->restore_flags(c, holder, dead);
}

enum count_kind code_count(const struct target *t, struct code *c, const struct reach *to,
	int64_t off, regset dead)
{
	const struct micro *m = t->micro;
	regset holders = dead & m->flag_holders, regs = dead & target_scratch(t);
	enum count_kind kind = code_count_kind(t, dead);
	if (kind == COUNT_DIRECT) {
		m->increment(c, to, off, dead);
		return kind;
	}
	unsigned holder = lowest_reg(holders ? holders : m->flag_holders);
	if (holders) {
		count_beside_flags(t, c, to, off, holder, dead);
	} else if (regs) {
		unsigned keeper = lowest_reg(regs);
		m->move(c, keeper, holder);
		count_beside_flags(t, c, to, off, holder, dead & ~REG_BIT(keeper));
		m->move(c, holder, keeper);
	} else {
		leave_red_zone(t, c);
		m->push(c, holder);
		count_beside_flags(t, c, to, off, holder, dead);
		m->pop(c, holder);
		return_to_red_zone(t, c);
	}
	return kind;
}
