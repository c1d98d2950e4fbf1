/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noreturn.c - which functions of the object never return
 *
 * Compilers know it, too, of their static functions and of those that are declared so: behind a
 * call of one other code follows, with other values in the registers.  A function never returns if
 * none of its blocks returns, jumps to an unknown place or leads into other code, but for calls,
 * and for jumps to functions that never return.  Which blocks are reached is ignored, so a
 * function that never returns by its conditions alone is missed.  The result is the greatest
 * fixpoint: each function without such a block is assumed to be one until a jump, or the last call,
 * is found to lead to another one.
 *
 * hazard: function that never returns.  gcc puts code of another path behind its calls, where a
 * register may hold a label on one of the paths and a number on the other.
 *
 * The landing pads of a function may be in its cold part, so one that catches may return there.
 */
#include "cfg/libc.h"
#include "cfg/calls.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"

#include "base/leads.h"
#include "base/parallel.h"
#include "targets/stated.h"

#include <stdlib.h>

/* Does block b, which control comes to from f, belong to it, or begin one that never returns? */
static bool keeps(const struct cfg *g, const struct func *f, const struct block *from, uint32_t b)
{
	const struct symbol *s = named_at_end(g, from);
	if (b == NO_BLOCK || func_has_block(f, b))
		return b != NO_BLOCK;
	const struct func *to = &g->func.v[g->block.v[b].func];
	return !(s && g->shared && is_preemptible(s)) && to->block == b && to->never_returns;
}

bool never_returns(const struct cfg *g, const struct block *bl)
{
	static const struct func nowhere = {.nblock = 0};
	const struct symbol *s = bl->end == END_CALL ? named_at_end(g, bl) : NULL;
	return (s && callee_by_symbol(g, s) >= CALLEE_DIES) ||
		(bl->end == END_CALL && !bl->chosen && keeps(g, &nowhere, bl, bl->target));
}

bool is_fallen_into(const struct cfg *g, const struct func *f)
{
	const struct block *before = f->falls_in && f->block ? &g->block.v[f->block - 1] : NULL;
	return f->falls_in && !(before && before->end == END_CALL && never_returns(g, before));
}

/* Does control stay in f, and in functions that never return, behind block bl? */
static bool block_keeps(const struct cfg *g, const struct func *f, const struct block *bl)
{
	bool falls = func_has_block(f, bl->fall);
	switch ((enum block_end)bl->end) {
	case END_FALL:
	case END_SYSCALL: return falls;
	case END_JUMP: return keeps(g, f, bl, bl->target);
	case END_BRANCH: return falls && keeps(g, f, bl, bl->target);
	case END_CALL: return falls || never_returns(g, bl);
	case END_TRAP: return true;
	default: return false;
	}
}

static bool func_keeps(const struct cfg *g, const struct func *f)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (!g->block.v[b].gap && !block_keeps(g, f, &g->block.v[b]))
			return false;
	return true;
}

/* Has f a block that returns, or may do so? */
static bool has_return(const struct cfg *g, const struct func *f)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (g->block.v[b].end == END_RET || g->block.v[b].end == END_LEAVE)
			return true;
	return false;
}

static bool catches(const struct cfg *g, const struct func *f)
{
	const struct code_section *c = &g->text.v[f->text];
	for (uint64_t off = f->start; c->catching && off < f->end; off++)
		if (set_has(c->catching, off))
			return true;
	return false;
}

static void find_candidates(void *ctx, size_t part, unsigned worker)
{
	struct cfg *g = ctx;
	uint32_t f, end = cfg_part_funcs(g, part, &f);
	(void)worker;
	for (; f < end; f++) {
		struct func *fn = &g->func.v[f];
		fn->never_returns = fn->is_code && fn->nblock && fn->why == OPAQUE_NOT &&
			!is_held(g, f) && !has_return(g, fn) && !catches(g, fn);
	}
}

/* The functions that must keep control if f does. */
static void find_leads(const struct cfg *g, uint32_t f, lead_vec *all)
{
	const struct func *fn = &g->func.v[f];
	for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		bool returns = bl->end == END_CALL && func_has_block(fn, bl->fall);
		if (bl->target != NO_BLOCK && !func_has_block(fn, bl->target) && !returns)
			vec_push(all, (struct lead){g->block.v[bl->target].func, f});
	}
}

static void state_noreturn(const struct cfg *g)
{
	g->stated->endless.n = 0;
	for (uint32_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].never_returns)
			vec_push(&g->stated->endless,
				((struct place_at){
					(uint32_t)g->text.v[g->func.v[f].text].sec->index,
					(uint32_t)g->func.v[f].start}));
}

void find_noreturn(struct cfg *g)
{
	lead_vec lead = {0};
	lead_todo todo = {0};
	parallel(g->part.n - 1, find_candidates, g);
	for (uint32_t f = 0; f < g->func.n; f++) {
		if (!g->func.v[f].never_returns)
			continue;
		find_leads(g, f, &lead);
		vec_push(&todo, f);
	}
	leads_sort(&lead);
	while (todo.n) {
		uint32_t f = todo.v[--todo.n];
		struct func *fn = &g->func.v[f];
		if (!fn->never_returns || func_keeps(g, fn))
			continue;
		fn->never_returns = false;
		leads_to(&lead, f, &todo);
	}
	vec_free(&lead);
	vec_free(&todo);
	if (g->stated)
		state_noreturn(g);
}
