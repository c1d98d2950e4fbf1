/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.c - functions that compute with the return address of their own calls
 *
 * hazard: data behind a call.  bal, bl or jal to a label of the same function may be there for its
 * return address: constants behind it are read, or distances are added.  A function is left whole
 * if code that such a call leads to reads the register with the address, but to return or to save
 * it in the frame, as subroutines do.  Where nothing reads it the call is counted as any other.
 */
#include "cfg/opaque.h"

#include <stdlib.h>

struct place {
	uint32_t block;
	regset links; /* have the return address at its start */
};

struct walk {
	const struct cfg *g;
	const struct func *f;
	VEC(regset) seen; /* by block of f */
	VEC(struct place) todo;
};

static regset links_of(const struct cfg *g, const struct block *bl)
{
	return insn_effects(&g->insn.v[bl->insn + bl->ninsn - 1])->writes & g->target->reserved;
}

static bool is_saved(const struct target *t, const struct insn *in)
{
	const struct effects *e = insn_effects(in);
	regset stack = REG_BIT(t->stack_reg);
	return in->kind == INSN_OTHER && in->flags & INSN_MEM && e->reads & stack &&
		!(e->writes & ~stack);
}

static void lead_to(struct walk *w, uint32_t b, regset links)
{
	if (!func_has_block(w->f, b) || !(links & ~w->seen.v[b - w->f->block]))
		return;
	w->seen.v[b - w->f->block] |= links;
	vec_push(&w->todo, ((struct place){b, links}));
}

/* Does a block use the address?  Else its successors are to be visited. */
static bool visit(struct walk *w, struct place p)
{
	const struct block *bl = &w->g->block.v[p.block];
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn && p.links; i++) {
		const struct insn *in = &w->g->insn.v[i];
		const struct effects *e = insn_effects(in);
		if (e->reads & p.links && in->kind != INSN_RET && !is_saved(w->g->target, in))
			return true;
		p.links &= ~e->writes;
	}
	lead_to(w, bl->fall, p.links);
	if (bl->end != END_CALL)
		lead_to(w, bl->target, p.links);
	return false;
}

static bool computes(struct walk *w)
{
	const struct func *f = w->f;
	bool found = false;
	w->seen.n = w->todo.n = 0;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &w->g->block.v[b];
		if (bl->end != END_CALL || bl->target == f->block || !func_has_block(f, bl->target))
			continue;
		if (!w->seen.n) {
			vec_reserve(&w->seen, f->nblock);
			w->seen.n = f->nblock;
			memset(w->seen.v, 0, f->nblock * sizeof *w->seen.v);
		}
		lead_to(w, bl->target, links_of(w->g, bl));
	}
	while (w->todo.n && !found)
		found = visit(w, w->todo.v[--w->todo.n]);
	return found;
}

void list_computing_links(const struct cfg *g, const struct code_section *c, opaque_parts *v)
{
	struct walk w = {.g = g};
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++) {
		w.f = &g->func.v[f];
		if (computes(&w))
			list_opaque_func(v, f, OPAQUE_KEEP, w.f->start);
	}
	vec_free(&w.seen);
	vec_free(&w.todo);
}
