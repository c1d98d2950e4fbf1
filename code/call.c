/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - code that calls a tool's routine; see sequence.h
 */
#include "code/regs.h"
#include "code/sequence.h"

struct calling {
	const struct target *t;
	struct code *c;
	const struct tool_call *call;
	regset dead;
	regset holder; /* for the flags; empty: they are dead, or the routine keeps them */
	regset temp;   /* for what is in no set of registers; empty: the routine keeps that */
	regset saved;  /* on the stack */
	int32_t above; /* the stack pointer in front of the code - where the last register is saved
			*/
};

static unsigned arg_reg(const struct target *t, unsigned k)
{
	return t->arg[k];
}

/* Registers that are overwritten before argument k is made. */
static regset overwritten(const struct calling *w, unsigned k)
{
	regset regs = w->holder | w->temp;
	while (k-- > 0)
		regs |= REG_BIT(arg_reg(w->t, k));
	return regs;
}

/* Registers from which arguments are made, and that are overwritten before. */
static regset needed_later(const struct calling *w)
{
	regset regs = 0;
	for (unsigned k = 0; k < w->call->nargs; k++)
		if (w->call->arg[k].gives == GIVES_REGISTER)
			regs |= overwritten(w, k) & REG_BIT(w->call->arg[k].reg);
	return regs;
}

static void choose_registers(struct calling *w)
{
	const struct micro *m = w->t->micro;
	regset live_flags = w->call->changes & target_flags(w->t) & ~w->dead;
	regset changed = w->call->changes;
	for (unsigned k = 0; k < w->call->nargs; k++)
		changed |= REG_BIT(arg_reg(w->t, k));
	if (live_flags) {
		regset holders = m->flag_holders & w->dead ? m->flag_holders & w->dead
							   : m->flag_holders;
		w->holder = holders & -holders;
	}
	if (w->call->rest) {
		regset regs = w->call->changes & ~REGSET_FLAGS & ~w->holder;
		w->temp = regs & -regs;
	}
	w->saved = ((changed | w->holder) & ~w->dead & ~REGSET_FLAGS) | needed_later(w);
}

/* How far above the last saved register this one is. */
static int32_t slot_of(const struct calling *w, unsigned reg)
{
	regset above = w->saved & ~(REG_BIT(reg) | (REG_BIT(reg) - 1));
	return __builtin_popcountll(above) * w->t->micro->slot;
}

/* below: how far the stack pointer is below the last saved register. */
static void put_arg(const struct calling *w, unsigned k, int32_t below)
{
	const struct micro *m = w->t->micro;
	const struct call_arg *a = &w->call->arg[k];
	unsigned to = arg_reg(w->t, k);
	switch ((enum gives)a->gives) {
	case GIVES_NUMBER: m->constant(w->c, to, (uint64_t)a->number); break;
	case GIVES_ADDRESS: m->address(w->c, to, a->sym, a->number); break;
	case GIVES_STACK: m->stack_plus(w->c, to, below + w->above + (int32_t)a->number); break;
	case GIVES_REGISTER:
		if (a->reg == w->t->stack_reg)
			m->stack_plus(w->c, to, below + w->above);
		else if (overwritten(w, k) & REG_BIT(a->reg))
			m->from_stack(w->c, to, below + slot_of(w, a->reg));
		else if (a->reg != to)
			m->move(w->c, to, a->reg);
		break;
	}
}

/* The registers, and the flags below them, are saved. */
static void put_call(const struct calling *w)
{
	const struct micro *m = w->t->micro;
	int32_t home = w->t->arg_home;
	if (home)
		m->add(w->c, w->t->stack_reg, -home, 0);
	int32_t below = home + (w->holder ? m->slot : 0) + (w->temp ? m->rest_slots * m->slot : 0);
	for (unsigned k = 0; k < w->call->nargs; k++)
		put_arg(w, k, below);
	m->enter(w->c, w->call->sym);
	if (home)
		m->add(w->c, w->t->stack_reg, home, 0);
}

void code_call(const struct target *t, struct code *c, const struct tool_call *call, int64_t id,
	regset dead)
{
	struct calling w = {.t = t, .c = c, .call = call, .dead = dead};
	const struct micro *m = t->micro;
	uint32_t start = c->bytes.n;
	choose_registers(&w);
	w.above = m->red_zone + __builtin_popcountll(w.saved) * m->slot;
	leave_red_zone(t, c);
	push_regs(t, c, w.saved);
	if (w.holder) {
		m->save_flags(c, lowest_reg(w.holder), dead);
		m->push(c, lowest_reg(w.holder));
	}
	if (w.temp)
		m->push_rest(c, lowest_reg(w.temp));
	put_call(&w);
	if (w.temp)
		m->pop_rest(c, lowest_reg(w.temp));
	if (w.holder) {
		m->pop(c, lowest_reg(w.holder));
		m->restore_flags(c, lowest_reg(w.holder), dead);
	}
	pop_regs(t, c, w.saved);
	return_to_red_zone(t, c);
	code_claim(c, start, (struct claim){.kind = CLAIM_CALL, .counter = id});
}
