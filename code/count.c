/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - code that increments or marks a counter in memory; see sequence.h
 */
#include "code/regs.h"
#include "code/sequence.h"

/* The registers that counting code uses, given the dead ones, and its kind. */
struct needs {
	regset holder; /* for the flags; empty: they are dead */
	regset temps;  /* for increment() */
	regset kept;   /* the live ones of both, to be saved */
	regset keeper; /* a dead register to save the only one of kept in; empty: on the stack */
	enum count_kind kind;
};

static struct needs find_needs(const struct target *t, const struct counter_addressing *to,
	regset dead)
{
	const struct micro *m = t->micro;
	struct needs n = {.kind = COUNT_DIRECT};
	if (m->count_flags & ~dead) {
		regset holders = dead & m->flag_holders ? dead & m->flag_holders : m->flag_holders;
		n.holder = holders & -holders;
		n.kind = COUNT_FLAGS;
	}
	n.temps = pick_regs(t, m->count_regs[to->access], dead, n.holder);
	n.kept = (n.holder | n.temps) & ~dead;
	regset keepers = dead & target_scratch(t) & ~(n.holder | n.temps);
	if (n.kept && !(n.kept & (n.kept - 1)))
		n.keeper = keepers & -keepers;
	if (n.kept && !n.keeper)
		n.kind = COUNT_SAVE;
	return n;
}

enum count_kind code_count_kind(const struct target *t, const struct counter_addressing *to,
	regset dead)
{
	return find_needs(t, to, dead).kind;
}

/*
 * If the flags are saved, increment() is passed none as dead: that form is shorter.
 *
 * hazard: live flags.  Flags are live into some blocks (cmp; ja; je, adc loops): counting
 * code there preserves them.
 */
static void increment(const struct target *t, struct code *c, const struct counter_addressing *to,
	int64_t off, const struct needs *n, regset dead)
{
	const struct micro *m = t->micro;
	if (n->holder)
		m->save_flags(c, lowest_reg(n->holder), dead);
	m->increment(c, to, off, n->temps | (n->holder ? 0 : dead & REGSET_FLAGS));
	if (n->holder)
		m->restore_flags(c, lowest_reg(n->holder), dead);
}

enum count_kind code_count(const struct target *t, struct code *c,
	const struct counter_addressing *to, int64_t off, regset dead)
{
	const struct needs n = find_needs(t, to, dead);
	uint32_t start = c->bytes.n;
	if (n.keeper) {
		t->micro->move(c, lowest_reg(n.keeper), lowest_reg(n.kept));
		increment(t, c, to, off, &n, dead);
		t->micro->move(c, lowest_reg(n.kept), lowest_reg(n.keeper));
	} else {
		keep_regs(t, c, n.kept);
		increment(t, c, to, off, &n, dead);
		restore_regs(t, c, n.kept);
	}
	code_claim(c, start, (struct claim){.kind = CLAIM_COUNT, .counter = off});
	return n.kind;
}

void code_base(const struct target *t, struct code *c, const struct counter_addressing *to,
	int64_t off, unsigned base)
{
	uint32_t start = c->bytes.n;
	t->micro->set_base(c, to, off, base, true);
	code_claim(c, start,
		(struct claim){.kind = CLAIM_BASE,
			.counter = off,
			.base = (uint8_t)(base + 1),
			.makes = true});
}

void code_count_by(const struct target *t, struct code *c, const struct counter_addressing *to,
	int64_t off, unsigned base, bool makes, regset dead)
{
	struct counter_addressing by = *to;
	uint32_t start = c->bytes.n;
	if (makes)
		t->micro->set_base(c, to, off, base, false);
	by.base = (uint8_t)(base + 1);
	t->micro->increment(c, &by, off,
		pick_regs(t, t->micro->more_regs[to->access], dead, REG_BIT(base)));
	code_claim(c, start,
		(struct claim){.kind = CLAIM_COUNT,
			.counter = off,
			.base = (uint8_t)(base + 1),
			.makes = makes});
}

void code_mark(const struct target *t, struct code *c, const struct counter_addressing *to,
	int64_t off, regset dead)
{
	regset temps = pick_regs(t, t->micro->memory_regs[ACCESS_PLAIN], dead, 0);
	uint32_t start = c->bytes.n;
	keep_regs(t, c, temps & ~dead);
	t->micro->set_byte(c, to, off, temps);
	restore_regs(t, c, temps & ~dead);
	code_claim(c, start, (struct claim){.kind = CLAIM_COUNT, .counter = off});
}
