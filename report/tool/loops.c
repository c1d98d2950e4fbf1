/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loops.c - the loops of a function
 *
 * They are searched for in the order of the map's edges, so they are those that ldx itself finds
 * when it links.  Without edges in the map there are none.
 */
#include "report/tool/walk.h"

#include "base/loops.h"

#include <stdlib.h>

/* The edges of a block to its successors. */
struct ways {
	uint32_t first, n;
};

struct graph {
	const ldx_func *f;
	struct ways *ways; /* by block */
	uint32_t *to;
};

static bool successor(const void *graph, uint32_t b, uint32_t k, uint32_t *to)
{
	const struct graph *g = graph;
	if (k == g->ways[b].n)
		return false;
	*to = g->to[g->ways[b].first + k];
	return true;
}

/* Does control come back behind the block, which calls and has no edge within the function? */
static bool comes_back(const struct graph *g, uint32_t b)
{
	const ldx_block *at = &g->f->block[b];
	enum ldx_end end = ldx_block_end(at);
	return b + 1 < g->f->f->nblocks && !g->ways[b].n &&
		at->b->offset + at->b->length == at[1].b->offset &&
		(end == LDX_END_CALL || end == LDX_END_SYSCALL);
}

/* Successors by block, in the order of the edges. */
static void find_successors(struct graph *g)
{
	const struct map_func *f = g->f->f;
	const struct map_edge *e = g->f->object->p->map.edge + f->edge;
	uint32_t n = 0;
	for (size_t k = 0; k < f->nedges; k++)
		if (e[k].from && e[k].to)
			g->ways[e[k].from - 1].n++;
	for (uint32_t b = 0; b < f->nblocks; b++) {
		bool back = comes_back(g, b);
		g->ways[b].first = n;
		n += g->ways[b].n + back;
		g->ways[b].n = back;
		if (back)
			g->to[g->ways[b].first] = b + 1;
	}
	for (size_t k = 0; k < f->nedges; k++)
		if (e[k].from && e[k].to) {
			struct ways *from = &g->ways[e[k].from - 1];
			g->to[from->first + from->n++] = (uint32_t)(e[k].to - 1);
		}
}

/* Does a call of the block in front come back to b? */
static bool is_returned_to(const struct graph *g, size_t b)
{
	return b && g->ways[b - 1].n && g->to[g->ways[b - 1].first] == b;
}

static void search_all(const struct graph *g, struct loop_search *s)
{
	const struct map_func *f = g->f->f;
	const struct map_edge *e = g->f->object->p->map.edge + f->edge;
	for (int again = 0; again < 2; again++)
		for (size_t k = 0; k < f->nedges; k++)
			if (!e[k].from && e[k].to && (again || !is_returned_to(g, e[k].to - 1)))
				loops_from(s, (uint32_t)(e[k].to - 1));
}

/* Loops in the order of their heads; where each block is. */
static void make_loops(ldx_func *f, const struct loop_node *node)
{
	size_t nblocks = f->f->nblocks, n = 0;
	f->loop = NEW_ARRAY(ldx_loop, nblocks);
	f->loop_of = NEW_ARRAY(const ldx_loop *, nblocks);
	for (uint32_t b = 0; b < nblocks; b++)
		if (node[b].is_head) {
			f->loop[n] = (ldx_loop){.head = &f->block[b]};
			f->loop_of[b] = &f->loop[n++];
		}
	f->nloops = n;
	for (uint32_t b = 0; b < nblocks; b++) {
		const ldx_loop *outer = node[b].head == NO_NODE ? NULL : f->loop_of[node[b].head];
		if (node[b].is_head)
			((ldx_loop *)f->loop_of[b])->parent = outer;
		else
			f->loop_of[b] = outer;
	}
}

static ldx_func *with_loops(const ldx_func *func)
{
	ldx_func *f = (ldx_func *)func;
	size_t n = f->f->nblocks;
	if (f->loop || !ldx_next_block(f, NULL))
		return f;
	struct graph g = {.f = f,
		.ways = NEW_ARRAY(struct ways, n),
		.to = NEW_ARRAY(uint32_t, f->f->nedges + n)};
	struct loop_search s = {.successor = successor,
		.ctx = &g,
		.node = NEW_ARRAY(struct loop_node, n),
		.path = NEW_ARRAY(uint32_t, n),
		.order = NEW_ARRAY(uint32_t, n)};
	find_successors(&g);
	loops_clear(&s, n);
	search_all(&g, &s);
	make_loops(f, s.node);
	free(g.ways);
	free(g.to);
	free(s.node);
	free(s.path);
	free(s.order);
	return f;
}

const ldx_loop *ldx_next_loop(const ldx_func *f, const ldx_loop *l)
{
	l = l ? l + 1 : with_loops(f)->loop;
	return l && l < f->loop + f->nloops ? l : NULL;
}

const ldx_block *ldx_loop_head(const ldx_loop *l)
{
	return l->head;
}

const ldx_loop *ldx_loop_parent(const ldx_loop *l)
{
	return l->parent;
}

static const ldx_loop *loop_of(const ldx_block *b)
{
	const ldx_func *f = with_loops(b->func);
	return f->loop_of[b - f->block];
}

bool ldx_loop_has(const ldx_loop *l, const ldx_block *b)
{
	const ldx_loop *at = b->func == l->head->func ? loop_of(b) : NULL;
	while (at && at != l)
		at = at->parent;
	return at;
}

unsigned ldx_block_depth(const ldx_block *b)
{
	unsigned depth = 0;
	for (const ldx_loop *l = loop_of(b); l; l = l->parent)
		depth++;
	return depth;
}
