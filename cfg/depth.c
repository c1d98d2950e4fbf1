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
#include "cfg/refs.h"
#include "cfg/values.h"

/*
 * A function that others jump to may be a part of them, with their frame, as gcc's .cold is: then
 * only how much deeper it is is known.
 */
static bool enter(struct values *v, uint32_t b, bool reached, struct state *s)
{
	uint64_t off = v->g->insn.v[v->g->block.v[b].insn].off;
	(void)reached;
	if (b == v->f->block)
		state_set(v, s, v->g->target->stack_reg, (struct value){.what = FRAME});
	return b == v->f->block || set_has(v->t->pads, off) || set_has(v->t->taken, off);
}

/* Does it access its return address, or return elsewhere than to the caller? */
static bool look(void *ctx, const struct step_at *at, const struct state *s)
{
	const bool *jumped_to = ctx;
	const struct target *t = at->v->g->target;
	const struct effects *e = insn_effects(at->in);
	struct value sp = s->reg[t->stack_reg];
	bool part = *jumped_to && sp.base == ENTRY_FUNC;
	if (sp.what != FRAME)
		return false;
	if (at->in->kind == INSN_RET)
		return part ? sp.n < 0 : sp.n != 0;
	return at->in->kind == INSN_OTHER && (e->reads | e->clobbers) & t->no_scratch && !part &&
		!sp.n && t->stack_use(insn_bytes(at->v->t, at->in), at->in) == STACK_TOP;
}

static bool returns_from_depth(struct values *v, const struct func *f, bool jumped_to)
{
	v->kinds = KIND(FRAME);
	v->calls = true;
	v->enter = enter;
	v->seek = look;
	v->ctx = &jumped_to;
	return values_walk(v, (uint32_t)(f - v->g->func.v));
}

/* What a function does with its link register. */
struct link_use {
	bool saves, loads;   /* in and from its frame */
	bool copies, copied; /* to and from another register */
	bool sets;	     /* to anything else */
};

static void use_by_part(const struct target *t, const struct insn *in, const struct operation *op,
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

static void use_link(const struct values *v, const struct code_section *c, const struct insn *in,
	struct link_use *use)
{
	const struct target *t = v->g->target;
	struct insn part[INSN_PARTS];
	struct operation op;
	for (unsigned k = 0, n = cfg_parts(v->g, v->decoder, c, in, part); k < n; k++) {
		t->describe(v->decoder, insn_bytes(c, &part[k]), &part[k], &op);
		use_by_part(t, &part[k], &op, use);
	}
}

/*
 * Where calls set a link register, a return leads to what is in it: elsewhere if the function puts
 * there what it has not had from there.  Between saving and restoring it, compilers use it for
 * other values.
 */
static bool returns_by_link(const struct values *v, const struct func *f, bool jumped_to)
{
	const struct cfg *g = v->g;
	const struct target *t = g->target;
	struct link_use use = {0};
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		for (uint32_t i = bl->insn; !bl->gap && i < bl->insn + bl->ninsn; i++) {
			const struct insn *in = &g->insn.v[i];
			const struct effects *e = insn_effects(in);
			if (in->kind != INSN_CALL && in->kind != INSN_CALL_IND &&
				in->kind != INSN_RET &&
				(e->reads | e->clobbers) & REG_BIT(t->link_reg))
				use_link(v, &g->text.v[f->text], in, &use);
		}
	}
	if (use.loads && (use.saves || jumped_to))
		return false;
	return use.loads || use.sets || (use.copied && !use.copies);
}

bool returns_elsewhere(struct values *v, const struct func *f, bool jumped_to)
{
	return v->g->target->link_reg >= 0 ? returns_by_link(v, f, jumped_to)
					   : returns_from_depth(v, f, jumped_to);
}
