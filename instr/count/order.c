/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - which counters share a page of memory
 *
 * Each thread has cells for all counters, and the kernel makes a page of them when the thread first
 * counts there.  In a statically linked program these are cells of the C library too, of which a
 * short thread runs some twenty functions, each in another page.  So the counters of functions that
 * threads begin and end with, and those that they call, are the first ones; then those of the
 * program's functions that are called by address, and of what these call.
 */
#include "instr/count/order.h"

#include "base/base.h"
#include "program/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Powers of two by which code is executed less often than its caller. */
enum { OFTEN = 2, RARE = 12 };

typedef VEC(uint32_t) func_vec;
struct search {
	const struct plan *p;
	uint8_t *seen;	       /* by function: its counters have their place */
	func_vec found;	       /* in the order of counters */
	func_vec at[RARE + 1]; /* to be visited, by how rare they are */
};

static void find(struct search *w, uint32_t f, int rare)
{
	bool leaves = rare && w->p->g->func.v[f].never_returns; /* for errors */
	if (rare <= RARE && !w->seen[f] && !leaves)
		vec_push(&w->at[rare], f);
}

/* How much rarer is block b than its function?  Estimated: see weights.c. */
static int rareness(const struct plan *p, const struct func *f, uint32_t b)
{
	float start = p->block_freq[f->block], freq = p->block_freq[b];
	int power;
	if (start <= 0 || freq <= 0)
		return start > 0 ? RARE + 1 : 2; /* not estimated in this mode */
	if (freq >= start)
		return 0;
	frexpf(freq / start, &power);
	return 1 - power;
}

static void visit(struct search *w, uint32_t f, int rare)
{
	const struct cfg *g = w->p->g;
	const struct func *fn = &g->func.v[f];
	if (w->seen[f])
		return;
	w->seen[f] = 1;
	vec_push(&w->found, f);
	for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		int then = bl->gap ? RARE + 1 : rare + rareness(w->p, fn, b);
		if (bl->target != NO_BLOCK)
			find(w, g->block.v[bl->target].func, then);
		if (bl->fall != NO_BLOCK)
			find(w, g->block.v[bl->fall].func, then);
	}
}

static void visit_up_to(struct search *w, int most)
{
	for (int rare = 0; rare <= most; rare++) {
		for (size_t i = 0; i < w->at[rare].n; i++)
			visit(w, w->at[rare].v[i], rare);
		w->at[rare].n = 0;
	}
}

static bool begins_threads(const struct cfg *g, uint32_t f)
{
	return (name_does(func_name(g, &g->func.v[f])) & NAME_BEGINS) != 0;
}

/* May unknown code of the program, or the C library, call f by its address? */
static bool called_by_address(const struct cfg *g, uint32_t f)
{
	const struct func *fn = &g->func.v[f];
	return fn->nblock && g->block.v[fn->block].open &&
		!g->of_libc[g->text.v[fn->text].sec->index];
}

uint32_t *counters_order(const struct plan *p, const uint32_t *first, const uint32_t *end)
{
	const struct cfg *g = p->g;
	struct search w = {.p = p, .seen = arena_array(g->arena, uint8_t, g->func.n + 1)};
	uint32_t next = counts_by_thread(&p->addressing) ? 8 / p->cell : 0;
	uint32_t *order = arena_array(g->arena, uint32_t, p->ncounters + 1);
	for (uint32_t f = 0; f < g->func.n; f++)
		if (begins_threads(g, f))
			find(&w, f, 0);
	visit_up_to(&w, OFTEN);
	for (uint32_t f = 0; f < g->func.n; f++)
		if (called_by_address(g, f))
			find(&w, f, 0);
	visit_up_to(&w, RARE);
	for (uint32_t f = 0; f < g->func.n; f++)
		if (!w.seen[f])
			vec_push(&w.found, f);
	for (size_t i = 0; i < w.found.n; i++)
		for (uint32_t k = first[w.found.v[i]]; k < end[w.found.v[i]]; k++)
			order[k] = next++;
	order[p->ncounters] = p->ncounters;
	for (int rare = 0; rare <= RARE; rare++)
		vec_free(&w.at[rare]);
	vec_free(&w.found);
	return order;
}
