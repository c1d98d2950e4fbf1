/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depth.c - does a return lead to the caller?
 *
 * On CPUs whose calls push the return address, a return leads to the caller if the stack is as deep
 * as at the function's entry and the word there is the one that the call pushed.  Otherwise it is a
 * jump to what the function has pushed or stored, or it skips its caller.  Compiled code does
 * neither, but for gcc's -mindirect-branch=thunk-inline: `call 1f; ...; 1: mov %rax,(%rsp); ret'.
 *
 * hazard: return that jumps.  push x; sub $8,%rsp; mov %rax,(%rsp); add $8,%rsp; ret: all of these
 * decide where a return leads.
 */
#include "cfg/live.h"

#include <stdint.h>
#include <stdlib.h>

/*
 * Depths are in bytes from the entry.  A function that others jump to may be a part of them, with
 * their frame, as gcc's .cold is: then only how much deeper it is is known, from JUMPED_TO on.
 */
enum { NOT_SEEN = INT32_MIN, UNKNOWN = INT32_MAX, JUMPED_TO = 1 << 30, FAR = 1 << 28 };

struct depths {
	const struct cfg *g;
	struct decoder *decoder;
	const struct func *f;
	int32_t *at; /* by block: at its start */
	block_vec todo;
	int32_t now;
};

static void lead_to(void *ctx, uint32_t b)
{
	struct depths *w = ctx;
	if (!func_has_block(w->f, b))
		return;
	int32_t *at = &w->at[b - w->f->block];
	int32_t joined = *at == NOT_SEEN || *at == w->now ? w->now : UNKNOWN;
	if (joined == *at)
		return;
	*at = joined;
	vec_push(&w->todo, b);
}

/* How much deeper is the stack behind instruction in?  False: not known. */
static bool deepens(const struct depths *w, const struct insn *in, enum stack_use use, int64_t *by)
{
	const struct target *t = w->g->target;
	struct operation op;
	t->describe(w->decoder, insn_bytes(&w->g->text.v[w->f->text], in), in, &op);
	*by = 0;
	if (op.op == OP_LEA && op.dst == t->stack_reg && op.base == op.dst && op.index < 0)
		*by = -op.disp;
	else if (op.op == OP_PUSH ||
		(op.op == OP_OTHER && use == STACK_FRAME &&
			insn_effects(in)->clobbers == REG_BIT(t->stack_reg)))
		*by = t->word;
	else if ((op.op == OP_POP && op.dst != t->stack_reg) || use == STACK_TOP)
		*by = -t->word;
	return *by != 0 && *by > -FAR && *by < FAR;
}

/* Does a return at this depth lead elsewhere than to the caller? */
static bool is_odd(int32_t depth)
{
	return (depth && abs(depth) < FAR) || (depth > JUMPED_TO && depth != UNKNOWN);
}

/* Walks block b from depth w->now on.  Does it access its return address, or return elsewhere? */
static bool walk(struct depths *w, uint32_t b)
{
	const struct cfg *g = w->g;
	const struct block *bl = &g->block.v[b];
	const struct code_section *c = &g->text.v[w->f->text];
	regset sp = g->target->no_scratch;
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn && w->now != UNKNOWN; i++) {
		const struct insn *in = &g->insn.v[i];
		const struct effects *e = insn_effects(in);
		int64_t by;
		if (in->kind != INSN_OTHER || !((e->reads | e->clobbers) & sp))
			continue;
		enum stack_use use = g->target->stack_use(insn_bytes(c, in), in);
		if (use == STACK_TOP && !w->now)
			return true;
		if (e->clobbers & sp)
			w->now = deepens(w, in, use, &by) ? w->now + (int32_t)by : UNKNOWN;
	}
	return bl->end == END_RET && is_odd(w->now);
}

static void enter(struct depths *w, uint32_t b, int32_t depth)
{
	w->now = depth;
	lead_to(w, b);
}

/* Calls within the function lead to labels whose returns lead behind these calls. */
static void find_entries(struct depths *w, bool jumped_to)
{
	const struct cfg *g = w->g;
	const struct func *f = w->f;
	const struct code_section *c = &g->text.v[f->text];
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		uint64_t off = g->insn.v[bl->insn].off;
		if (set_has(c->pads, off) || (b != f->block && set_has(c->taken, off)))
			enter(w, b, UNKNOWN);
		else if (b == f->block)
			enter(w, b, jumped_to ? JUMPED_TO : 0);
		if (bl->end == END_CALL && bl->target != f->block)
			enter(w, bl->target, 0);
	}
}

static bool returns_from_depth(const struct cfg *g, struct decoder *decoder, const struct func *f,
	bool jumped_to)
{
	struct depths w = {.g = g, .decoder = decoder, .f = f};
	bool odd = false;
	w.at = malloc(array_bytes(f->nblock + 1, sizeof *w.at));
	if (!w.at)
		fatal("out of memory");
	for (uint32_t k = 0; k < f->nblock; k++)
		w.at[k] = NOT_SEEN;
	find_entries(&w, jumped_to);
	while (w.todo.n) {
		uint32_t b = w.todo.v[--w.todo.n];
		const struct block *bl = &g->block.v[b];
		w.now = w.at[b - f->block];
		walk(&w, b);
		lead_to(&w, bl->fall);
		if (bl->end != END_CALL)
			lead_to(&w, bl->target);
		if (bl->end == END_TABLE)
			cfg_table_targets(g, b, lead_to, &w);
	}
	for (uint32_t k = 0; k < f->nblock && !odd; k++) {
		w.now = w.at[k];
		odd = w.now != NOT_SEEN && walk(&w, f->block + k);
	}
	free(w.at);
	vec_free(&w.todo);
	return odd;
}

/* What a function does with its link register. */
struct link_use {
	bool saves, loads;   /* in and from its frame */
	bool copies, copied; /* to and from another register */
	bool sets;	     /* to anything else */
};

static void use_link(const struct target *t, const struct insn *in, const struct operation *op,
	struct link_use *use)
{
	const regset link = REG_BIT(t->link_reg), stack = t->no_scratch | callee_saved(t);
	const struct effects *e = insn_effects(in);
	bool memory = in->flags & INSN_MEM && e->reads & stack & ~link;
	use->saves |= memory && e->reads & link;
	use->copies |= op->op == OP_MOVE && op->src == t->link_reg;
	if (!(e->clobbers & link) || e->reads & link)
		return;
	use->loads |= memory;
	use->copied |= !memory && op->op == OP_MOVE;
	use->sets |= !memory && op->op != OP_MOVE;
}

/*
 * Where calls set a link register, a return leads to what is in it: elsewhere if the function puts
 * there what it has not had from there.  Between saving and restoring it, compilers use it for
 * other values.
 */
static bool returns_by_link(const struct cfg *g, struct decoder *decoder, const struct func *f,
	bool jumped_to)
{
	const struct target *t = g->target;
	struct link_use use = {0};
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		for (uint32_t i = bl->insn; !bl->gap && i < bl->insn + bl->ninsn; i++) {
			const struct insn *in = &g->insn.v[i];
			const struct effects *e = insn_effects(in);
			struct operation op;
			/* a branch may have a store in its delay slot */
			if (in->kind == INSN_CALL || in->kind == INSN_CALL_IND ||
				in->kind == INSN_RET ||
				!((e->reads | e->clobbers) & REG_BIT(t->link_reg)))
				continue;
			t->describe(decoder, insn_bytes(&g->text.v[f->text], in), in, &op);
			use_link(t, in, &op, &use);
		}
	}
	if (use.loads && (use.saves || jumped_to))
		return false;
	return use.loads || use.sets || (use.copied && !use.copies);
}

bool returns_elsewhere(const struct cfg *g, struct decoder *decoder, const struct func *f,
	bool jumped_to)
{
	return g->target->links ? returns_by_link(g, decoder, f, jumped_to)
				: returns_from_depth(g, decoder, f, jumped_to);
}
