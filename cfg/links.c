/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.c - functions that compute with return addresses
 *
 * hazard: argument behind a call.  call f; .long 5: f loads the number by its return address, and
 * returns behind it.  Nothing may be inserted there, and the number is no instruction: functions
 * that call such a function are left whole.  It is known by what it does with its return address
 * from its entry on: it accesses memory there, or continues at an address computed from it.  Merely
 * passing the address on, as profilers do, and storing it are no such use.
 *
 * hazard: data behind a call.  bal, bl or jal to a label of the same function may be there for its
 * return address: constants behind it are read, or distances are added.  A function is left whole
 * if code that such a call leads to reads the register with the address, but to return or to save
 * it in the frame, as subroutines do.  Where nothing reads it the call is counted as any other.
 */
#include "cfg/opaque.h"
#include "cfg/values.h"

#include "base/parallel.h"

#include <stdlib.h>

static regset computed_links(const struct state *s, regset links)
{
	regset set = 0;
	for (; links; links &= links - 1)
		if (s->reg[lowest_reg(links)].n)
			set |= links & -links;
	return set;
}

/* Does the instruction access the word that its call pushed, and by the stack pointer? */
static bool is_at_top(const struct step_at *at, const struct operation *op)
{
	const struct target *t = at->v->g->target;
	/* by an index compiled code reaches its arrays, below or above */
	return at->in->kind == INSN_OTHER && op->op != OP_LEA && op->index < 0 &&
		t->stack_use(insn_bytes(at->v->t, at->in), at->in) == STACK_TOP;
}

static bool uses_link(const struct step_at *at, const struct state *s, regset links, bool on_top)
{
	const struct target *t = at->v->g->target;
	regset computed = computed_links(s, links);
	struct operation op;
	step_describe(at, &op);
	if (at->in->kind == INSN_RET)
		return t->link_reg >= 0 && computed & REG_BIT(t->link_reg);
	if (op.op == OP_JUMP_REG || op.op == OP_PUSH)
		return computed & bit_of(op.src);
	if (on_top && is_at_top(at, &op))
		return op.op == OP_STORE ? computed & bit_of(op.src)
					 : op.op != OP_LOAD && op.op != OP_POP;
	regset address = bit_of(op.base) | (op.op == OP_STORE_PAIR ? 0 : bit_of(op.index));
	return at->in->flags & INSN_MEM && links & address;
}

static bool look(void *ctx, const struct step_at *at, const struct state *s)
{
	const struct target *t = at->v->g->target;
	const struct effects *e = insn_effects(at->in);
	struct value sp = s->reg[t->stack_reg];
	regset links = state_holds(s, LINK);
	bool on_top = t->link_reg < 0 && sp.what == FRAME && !sp.n,
	     calls = at->leads && (at->in->kind == INSN_CALL || at->in->kind == INSN_CALL_IND);
	(void)ctx;
	return !calls &&
		((e->reads | e->clobbers) & (links | (on_top ? REG_BIT(t->stack_reg) : 0))) &&
		uses_link(at, s, links, on_top);
}

/* The return address is on top of the stack, or in its register. */
static bool enter(struct values *v, uint32_t b, bool reached, struct state *s)
{
	const struct target *t = v->g->target;
	(void)reached;
	if (b != v->f->block)
		return false;
	if (t->link_reg >= 0)
		state_set(v, s, t->link_reg, (struct value){.what = LINK});
	else
		state_set(v, s, t->stack_reg, (struct value){.what = FRAME});
	return true;
}

/* Which functions use the return address. */
struct asking {
	struct cfg *g;
	bool *uses; /* by function */
};

static void ask_part(void *ctx, size_t part, unsigned worker)
{
	const struct asking *a = ctx;
	uint32_t f, end = cfg_part_funcs(a->g, part, &f);
	struct values w = {.g = a->g,
		.decoder = cfg_decoder(a->g, worker),
		.kinds = KIND(LINK) | KIND(FRAME),
		.needs = KIND(LINK),
		.enter = enter,
		.seek = look};
	for (; f < end; f++)
		a->uses[f] = a->g->func.v[f].is_code && values_walk(&w, f);
	values_free(&w);
}

void list_calls_with_data(struct cfg *g, opaque_parts *v)
{
	struct asking a = {g, arena_array(g->arena, bool, g->func.n + 1)};
	const bool *uses = a.uses;
	parallel(g->part.n - 1, ask_part, &a);
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->end != END_CALL || bl->target == NO_BLOCK)
			continue;
		uint32_t to = g->block.v[bl->target].func;
		if (uses[to] && g->func.v[to].block == bl->target && to != bl->func)
			list_opaque_func(v, bl->func, OPAQUE_KEEP, g->insn.v[bl->insn].off);
	}
}

/* Calls within a function -------------------------------------------------- */

static bool is_saved(const struct target *t, const struct insn *in)
{
	const struct effects *e = insn_effects(in);
	regset stack = REG_BIT(t->stack_reg);
	return in->kind == INSN_OTHER && in->flags & INSN_MEM && e->reads & stack &&
		!(e->writes & ~stack);
}

static bool reads_link(void *ctx, const struct step_at *at, const struct state *s)
{
	(void)ctx;
	return insn_effects(at->in)->reads & s->known && at->in->kind != INSN_RET &&
		!is_saved(at->v->g->target, at->in);
}

void list_computing_links(const struct cfg *g, const struct code_section *c,
	struct decoder *decoder, opaque_parts *v)
{
	struct values w = {.g = g,
		.decoder = decoder,
		.kinds = KIND(LINK),
		.needs = KIND(LINK),
		.calls = true,
		.seek = reads_link};
	for (uint32_t f = c->func; g->target->link_reg >= 0 && f < c->func + c->nfunc; f++)
		if (values_walk(&w, f))
			list_opaque_func(v, f, OPAQUE_KEEP, g->func.v[f].start);
	values_free(&w);
}
