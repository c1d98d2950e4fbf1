/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.c - which functions are given a static chain
 *
 * hazard: register of a static chain.  Where it is known which register has a nested function's
 * frame (target.abi.chain), that is no other function's argument: a call passes nothing on in it
 * unless the function called reads it before it writes it, or one that this one calls.  Functions
 * of other objects are called by name without one.
 */
#include "cfg/blocks.h"
#include "cfg/calls.h"
#include "cfg/opaque.h"
#include "cfg/scaled.h"

#include <stdlib.h>

struct chain {
	struct cfg *g;
	const uint32_t *first; /* by block, CSR: how many blocks control comes from */
	const struct func *f;
	VEC(uint8_t) seen; /* by block of f */
	block_vec todo;
};

static void lead_to(void *ctx, uint32_t b)
{
	struct chain *w = ctx;
	if (!func_has_block(w->f, b) || w->seen.v[b - w->f->block])
		return;
	w->seen.v[b - w->f->block] = 1;
	vec_push(&w->todo, b);
}

/* The labels that the indirect jump of bl may lead to. */
static void lead_on(struct chain *w, const struct block *bl)
{
	const struct cfg *g = w->g;
	const struct code_section *c = &g->text.v[w->f->text];
	const struct scaled_table *t = scaled_by_jump(g, bl->insn + bl->ninsn - 1);
	if (t)
		scaled_targets(g, t, lead_to, w);
	for (uint32_t b = w->f->block; !t && b < w->f->block + w->f->nblock; b++)
		if (w->first[b] == w->first[b + 1] ||
			set_has(c->taken, g->insn.v[g->block.v[b].insn].off))
			lead_to(w, b);
}

/* Does block bl, or a function that it leads to, read the chain?  Else goes on where it leads. */
static bool reads(struct chain *w, const struct block *bl)
{
	const struct cfg *g = w->g;
	const regset chain = g->target->abi.chain;
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
		const struct effects *e = insn_effects(&g->insn.v[i]);
		if (e->reads & chain)
			return true;
		if (e->writes & chain)
			return false;
	}
	if (bl->target != NO_BLOCK && g->chain_read[g->block.v[bl->target].func])
		return true;
	/* a call that is not known to keep the register changes it */
	if (bl->end != END_CALL || bl->target != NO_BLOCK)
		lead_to(w, bl->fall);
	lead_to(w, bl->target);
	if (bl->end == END_LEAVE || bl->end == END_TABLE)
		lead_on(w, bl);
	return bl->fall != NO_BLOCK && !func_has_block(w->f, bl->fall) &&
		g->chain_read[g->block.v[bl->fall].func];
}

static bool is_read(struct chain *w, const struct func *f)
{
	const struct cfg *g = w->g;
	w->f = f;
	w->todo.n = 0;
	vec_reserve(&w->seen, f->nblock);
	memset(w->seen.v, 0, f->nblock);
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (b == f->block ||
			set_has(g->text.v[f->text].entries, g->insn.v[g->block.v[b].insn].off))
			lead_to(w, b);
	while (w->todo.n)
		if (reads(w, &g->block.v[w->todo.v[--w->todo.n]]))
			return true;
	return false;
}

void chain_find(struct cfg *g, const uint32_t *first)
{
	struct chain w = {.g = g, .first = first};
	bool more = g->target->abi.chain;
	g->chain_read = arena_array(g->arena, bool, g->func.n + 1);
	while (more) {
		more = false;
		for (uint32_t k = 0; k < g->func.n; k++) {
			const struct func *f = &g->func.v[k];
			if (g->chain_read[k] || !f->nblock || !is_read(&w, f))
				continue;
			g->chain_read[k] = more = true;
			g->chain_open |= set_has(g->text.v[f->text].taken, f->start);
		}
	}
	vec_free(&w.seen);
	vec_free(&w.todo);
}

regset chain_passed(const struct cfg *g, uint32_t b)
{
	bool read = b == NO_BLOCK ? g->chain_open : g->chain_read[g->block.v[b].func];
	return read ? g->target->abi.chain : 0;
}
