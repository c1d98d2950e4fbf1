/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - code that increments or marks a counter in memory, or adds to it; see sequence.h
 */
#include "code/regs.h"
#include "code/sequence.h"

/* The registers that counting code uses, given the dead ones, and its kind. */
struct needs {
	regset holder; /* for the flags; empty: they are dead */
	regset temps;  /* for the step that changes the counter */
	regset kept;   /* the live ones of both, to be saved */
	regset keeper; /* a dead register to save the only one of kept in; empty: on the stack */
	enum count_kind kind;
};

/* flags: those that the code changes; temps: the number of temporary registers. */
static struct needs find_needs(const struct target *t, regset flags, unsigned temps, regset dead)
{
	const struct micro *m = t->micro;
	struct needs n = {.kind = COUNT_DIRECT};
	if (flags & ~dead) {
		regset holders = dead & m->flag_holders ? dead & m->flag_holders : m->flag_holders;
		n.holder = holders & -holders;
		n.kind = COUNT_FLAGS;
	}
	n.temps = pick_regs(t, temps, dead, n.holder);
	n.kept = (n.holder | n.temps) & ~dead;
	regset keepers = dead & target_scratch(t) & ~(n.holder | n.temps);
	if (n.kept && !(n.kept & (n.kept - 1)))
		n.keeper = keepers & -keepers;
	if (n.kept && !n.keeper)
		n.kind = COUNT_SAVE;
	return n;
}

/* Needs the number no register? */
static bool is_brief(const struct micro *m, int64_t number)
{
	return number >= m->add_least && number <= m->add_most;
}

/* What is done to the counter. */
struct step {
	bool byte;	/* it is one, and counts */
	int64_t number; /* else what is added */
};

static struct needs needs_of(const struct target *t, const struct counted *at, struct step step)
{
	const struct micro *m = t->micro;
	enum counter_access access = at->to->access;
	int64_t number = step.number;
	if (step.byte)
		return find_needs(t, m->add_flags, m->byte_regs, at->dead);
	if (number == 1)
		return find_needs(t, m->count_flags, m->count_regs[access], at->dead);
	unsigned in_register = !is_brief(m, number);
	return find_needs(t, m->add_flags, m->memory_regs[access] + in_register, at->dead);
}

enum count_kind code_count_kind(const struct target *t, const struct counted *at)
{
	return needs_of(t, at, (struct step){.number = 1}).kind;
}

static void put_sum(const struct target *t, struct code *c, const struct counted *at,
	int64_t number, const struct needs *n)
{
	const struct micro *m = t->micro;
	regset reg = n->temps & -n->temps;
	if (is_brief(m, number)) {
		m->add_number(c, at->to, at->off, (int32_t)number, n->temps);
		return;
	}
	m->constant(c, lowest_reg(reg), (uint64_t)(number < 0 ? -number : number));
	(number < 0 ? m->take_from : m->add_to)(c, at->to, at->off, lowest_reg(reg),
		n->temps & ~reg);
}

/*
 * If the flags are saved, increment() is passed none as dead: that form is shorter.
 *
 * hazard: live flags.  Flags are live into some blocks (cmp; ja; je, adc loops): counting
 * code there preserves them.
 */
static void change(const struct target *t, struct code *c, const struct counted *at,
	struct step step, const struct needs *n)
{
	const struct micro *m = t->micro;
	if (n->holder)
		m->save_flags(c, lowest_reg(n->holder), at->dead);
	if (step.byte)
		m->count_byte(c, at->to, at->off, n->temps);
	else if (step.number == 1)
		m->increment(c, at->to, at->off,
			n->temps | (n->holder ? 0 : at->dead & REGSET_FLAGS));
	else
		put_sum(t, c, at, step.number, n);
	if (n->holder)
		m->restore_flags(c, lowest_reg(n->holder), at->dead);
}

/* All that is live is kept. */
static enum count_kind put_change(const struct target *t, struct code *c, const struct counted *at,
	struct step step)
{
	const struct needs n = needs_of(t, at, step);
	if (n.keeper) {
		t->micro->move(c, lowest_reg(n.keeper), lowest_reg(n.kept));
		change(t, c, at, step, &n);
		t->micro->move(c, lowest_reg(n.kept), lowest_reg(n.keeper));
	} else {
		keep_regs(t, c, n.kept);
		change(t, c, at, step, &n);
		restore_regs(t, c, n.kept);
	}
	return n.kind;
}

enum count_kind code_count(const struct target *t, struct code *c, const struct counted *at)
{
	uint32_t start = c->bytes.n;
	enum count_kind kind = put_change(t, c, at, (struct step){.number = 1});
	code_claim(c, start, (struct claim){.kind = CLAIM_COUNT, .counter = at->off});
	return kind;
}

void code_base(const struct target *t, struct code *c, const struct counted *at, unsigned base)
{
	bool temp = base_temp(t->micro, at->to, at->off);
	uint32_t start = c->bytes.n;
	t->micro->set_base(c, at->to, at->off, base, true,
		temp ? pick_regs(t, 1, at->dead, REG_BIT(base)) : 0);
	code_claim(c, start,
		(struct claim){.kind = CLAIM_BASE,
			.counter = at->off,
			.base = (uint8_t)(base + 1),
			.makes = true});
}

void code_count_by(const struct target *t, struct code *c, const struct counted *at, unsigned base,
	bool makes)
{
	struct counter_addressing by = *at->to;
	regset temps = pick_regs(t, t->micro->more_regs[by.access], at->dead, REG_BIT(base));
	uint32_t start = c->bytes.n;
	if (makes)
		t->micro->set_base(c, at->to, at->off, base, false, temps);
	by.base = (uint8_t)(base + 1);
	t->micro->increment(c, &by, at->off, temps);
	code_claim(c, start,
		(struct claim){.kind = CLAIM_COUNT,
			.counter = at->off,
			.base = (uint8_t)(base + 1),
			.makes = makes});
}

static void put_mark(const struct target *t, struct code *c, const struct counted *at)
{
	regset temps = pick_regs(t, t->micro->memory_regs[ACCESS_PLAIN], at->dead, 0);
	keep_regs(t, c, temps & ~at->dead);
	t->micro->set_byte(c, at->to, at->off, temps);
	restore_regs(t, c, temps & ~at->dead);
}

void code_mark(const struct target *t, struct code *c, const struct counted *at)
{
	uint32_t start = c->bytes.n;
	put_mark(t, c, at);
	code_claim(c, start, (struct claim){.kind = CLAIM_COUNT, .counter = at->off});
}

void code_variable(const struct target *t, struct code *c, const struct counted *at,
	const struct tool_call *asked, int64_t id)
{
	struct step step = {.byte = asked->does == DOES_COUNT_BYTE, .number = asked->number};
	uint32_t start = c->bytes.n;
	if (asked->does == DOES_MARK)
		put_mark(t, c, at);
	else
		put_change(t, c, at, step);
	code_claim(c, start, (struct claim){.kind = CLAIM_CALL, .counter = id});
}
