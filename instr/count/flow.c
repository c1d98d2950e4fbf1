/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow.c - the edges of one function
 *
 * Counts are conserved at every block: it is left as often as it is entered.  To keep this true, a
 * call that may not return, or may return twice, is an edge out of the function, and its return is
 * an edge into it.
 */
#include "program/program.h"
#include "instr/count/flow.h"

#include "base/parallel.h"

#include <stdlib.h>

/* In a function with more table edges than this, they all lead to and from outside. */
enum { MAX_TABLE_EDGES = 1 << 15 };

struct entering {
	struct cfg *g;
	uint32_t func;
};

static void enter(void *ctx, uint32_t b)
{
	const struct entering *e = ctx;
	if (e->g->block.v[b].func != e->func)
		__atomic_store_n(&e->g->block.v[b].entered, true, __ATOMIC_RELAXED);
}

static void enter_part(void *ctx, size_t part, unsigned worker)
{
	struct cfg *g = ctx;
	const struct code_section *first = &g->text.v[g->part.v[part]];
	const struct code_section *last = &g->text.v[g->part.v[part + 1] - 1];
	(void)worker;
	for (uint32_t b = first->block; b < last->block + last->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		struct entering e = {g, bl->func};
		if (bl->gap)
			continue;
		if (bl->end == END_TABLE)
			cfg_table_targets(g, b, enter, &e);
		if (bl->end == END_CALL)
			e.func = NO_FUNC;
		if (bl->target != NO_BLOCK)
			enter(&e, bl->target);
		e.func = bl->func;
		if (bl->fall != NO_BLOCK)
			enter(&e, bl->fall);
	}
}

void cfg_entered(struct cfg *g)
{
	parallel(g->part.n - 1, enter_part, g);
}

/* Edges ---------------------------------------------------------------- */

static void add_edge(struct flow *w, uint32_t from, uint32_t to, enum edge_kind kind)
{
	vec_push(&w->edge,
		(struct edge){.from = from, .to = to, .kind = (uint8_t)kind, .by = (uint8_t)kind});
}

static bool inside(const struct flow *w, uint32_t b)
{
	return b != NO_BLOCK && b >= w->first && b - w->first < w->block.n;
}

static void add_way(struct flow *w, uint32_t b, uint32_t to, enum edge_kind kind)
{
	add_edge(w, b, inside(w, to) ? to : NO_BLOCK, inside(w, to) ? kind : EDGE_OUT);
	w->edge.v[w->edge.n - 1].by = (uint8_t)kind;
}

/* The targets of one jump, each once: work[i] is 1 + the last block with an edge to block i. */
struct by_table {
	struct flow *w;
	uint32_t from;
	bool out;
};

static void add_by_table(void *ctx, uint32_t to)
{
	struct by_table *t = ctx;
	uint32_t *seen = inside(t->w, to) ? &t->w->work.v[to - t->w->first] : NULL;
	if (!seen) {
		t->out = true;
	} else if (*seen != t->from + 1) {
		*seen = t->from + 1;
		add_edge(t->w, t->from, to, EDGE_TABLE);
	}
}

static void add_table(struct flow *w, uint32_t b)
{
	struct by_table t = {w, b, w->has_taken};
	cfg_table_targets(w->g, b, add_by_table, &t);
	if (t.out)
		add_edge(w, b, NO_BLOCK, EDGE_OUT);
}

static void mark_entered(void *ctx, uint32_t to)
{
	struct flow *w = ctx;
	if (inside(w, to))
		w->work.v[to - w->first] = 1;
}

/* Table jumps are edges to outside; their targets, marked in work[], have edges from outside. */
static void mark_by_tables(struct flow *w)
{
	for (uint32_t b = w->first; b < w->first + w->block.n; b++)
		if (!w->g->block.v[b].gap && w->g->block.v[b].end == END_TABLE)
			cfg_table_targets(w->g, b, mark_entered, w);
}

static void block_edges(struct flow *w, uint32_t b)
{
	const struct block *bl = &w->g->block.v[b];
	switch ((enum block_end)bl->end) {
	case END_FALL: add_way(w, b, bl->fall, EDGE_FALL); break;
	case END_JUMP: add_way(w, b, bl->target, EDGE_TAKEN); break;
	case END_BRANCH:
		add_way(w, b, bl->fall, EDGE_FALL);
		add_way(w, b, bl->target, EDGE_TAKEN);
		break;
	case END_CALL:
		if (inside(w, bl->fall) && cfg_callee(w->g, w->returns, b) == CALLEE_RETURNS)
			add_edge(w, b, bl->fall, EDGE_FALL);
		else
			add_edge(w, b, NO_BLOCK, EDGE_OUT);
		break;
	case END_TABLE:
		if (w->by_outside)
			add_edge(w, b, NO_BLOCK, EDGE_OUT);
		else
			add_table(w, b);
		break;
	case END_LEAVE:
	case END_RET:
	case END_TRAP:
	case END_SYSCALL: add_edge(w, b, NO_BLOCK, EDGE_OUT); break;
	}
}

/* Adds edges from outside, also to blocks behind calls that may not return once. */
static void entered_blocks(struct flow *w)
{
	const struct cfg *g = w->g;
	uint32_t end = w->first + (uint32_t)w->block.n;
	bool behind = false; /* the call in front may return here from outside */
	for (uint32_t b = w->first; b < end; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->gap) {
			behind = false;
			continue;
		}
		if (behind || bl->entered || w->work.v[b - w->first])
			add_edge(w, NO_BLOCK, b, EDGE_IN);
		behind = bl->end == END_SYSCALL ||
			(bl->end == END_CALL && cfg_callee(g, w->returns, b) == CALLEE_ANY);
	}
}

static void set_critical(struct flow *w)
{
	uint32_t *in = w->work.v;
	memset(in, 0, w->block.n * sizeof *in);
	for (size_t e = 0; e < w->edge.n; e++)
		if (w->edge.v[e].to != NO_BLOCK)
			in[w->edge.v[e].to - w->first]++;
	for (size_t e = 0; e < w->edge.n; e++) {
		struct edge *ed = &w->edge.v[e];
		ed->critical = ed->from != NO_BLOCK && ed->to != NO_BLOCK &&
			w->block.v[ed->from - w->first].nedge > 1 && in[ed->to - w->first] > 1;
	}
}

/* False: there are too many table edges. */
static bool all_edges(struct flow *w)
{
	size_t by_tables = 0;
	w->edge.n = 0;
	memset(w->work.v, 0, w->block.n * sizeof *w->work.v);
	if (w->by_outside)
		mark_by_tables(w);
	entered_blocks(w);
	for (uint32_t b = w->first; b < w->first + w->block.n; b++) {
		struct flow_block *fb = &w->block.v[b - w->first];
		const struct block *bl = &w->g->block.v[b];
		fb->edge = (uint32_t)w->edge.n;
		if (!bl->gap)
			block_edges(w, b);
		fb->nedge = (uint32_t)w->edge.n - fb->edge;
		if (bl->end == END_TABLE && !w->by_outside)
			by_tables += fb->nedge;
		if (by_tables > MAX_TABLE_EDGES)
			return false;
	}
	return true;
}

void flow_edges(struct flow *w, uint32_t fi)
{
	const struct func *f = &w->g->func.v[fi];
	w->first = f->block;
	w->block.n = w->work.n = 0;
	for (uint32_t b = 0; b < f->nblock; b++) {
		vec_push(&w->block, (struct flow_block){0});
		vec_push(&w->work, 0);
	}
	/* a table jump may lead there too */
	w->has_taken = f->labelled;
	w->by_outside = false;
	w->by_outside = !all_edges(w);
	if (w->by_outside)
		all_edges(w);
	set_critical(w);
	flow_weights(w);
}

void flow_free(struct flow *w)
{
	vec_free(&w->block);
	vec_free(&w->edge);
	vec_free(&w->loop);
	vec_free(&w->order);
	vec_free(&w->work);
	vec_free(&w->node);
	vec_free(&w->proof);
}
