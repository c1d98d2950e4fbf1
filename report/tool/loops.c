/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loops.c - the loops of a function
 *
 * One depth-first search finds them (Wei, Mao, Zou and Chen, "A new algorithm for identifying loops
 * in decompilation", 2007), in the order of the map's edges: the loops are those that ldx itself
 * finds when it links.  Without edges in the map there are none.
 */
#include "report/tool/walk.h"

#include <stdlib.h>

enum { NONE = UINT32_MAX };

/* Of a block. */
struct node {
	uint32_t head; /* of the innermost loop that has the block, and is not the block's; or NONE
			*/
	uint32_t path; /* 1 + its place on the path of the search; 0: it is not on it */
	uint32_t edge, nedges; /* to its successors */
	uint32_t next;	       /* the successor to be visited next */
	bool seen, is_head;
};

struct search {
	const ldx_func *f;
	struct node *node;
	uint32_t *to;	/* successors, by block */
	uint32_t *path; /* from a root on */
	uint32_t depth;
};

/* Block b, and the loops around it, are in the loop of head h, which is on the path. */
static void put_into(struct node *node, uint32_t b, uint32_t h)
{
	while (b != h && h != NONE) {
		uint32_t outer = node[b].head;
		if (outer == h)
			return;
		if (outer == NONE || node[outer].path < node[h].path) {
			node[b].head = h;
			b = h;
			h = outer;
		} else {
			b = outer;
		}
	}
}

static void meet(struct node *node, uint32_t b, uint32_t to)
{
	uint32_t h = to;
	if (node[to].path)
		node[to].is_head = true;
	else
		for (h = node[to].head; h != NONE && !node[h].path;)
			h = node[h].head;
	put_into(node, b, h);
}

static void enter(struct search *s, uint32_t b)
{
	s->path[s->depth++] = b;
	s->node[b].path = s->depth;
	s->node[b].seen = true;
}

static void search_from(struct search *s, uint32_t root)
{
	if (s->node[root].seen)
		return;
	enter(s, root);
	while (s->depth) {
		uint32_t b = s->path[s->depth - 1];
		struct node *n = &s->node[b];
		if (n->next < n->nedges) {
			uint32_t to = s->to[n->edge + n->next++];
			if (s->node[to].seen)
				meet(s->node, b, to);
			else
				enter(s, to);
			continue;
		}
		n->path = 0;
		if (--s->depth)
			put_into(s->node, s->path[s->depth - 1], n->head);
	}
}

/* Does control come back behind the block, which calls and has no edge within the function? */
static bool comes_back(const struct search *s, uint32_t b)
{
	const ldx_block *at = &s->f->block[b];
	enum ldx_end end = ldx_block_end(at);
	return b + 1 < s->f->f->nblocks && !s->node[b].nedges &&
		at->b->offset + at->b->length == at[1].b->offset &&
		(end == LDX_END_CALL || end == LDX_END_SYSCALL);
}

/* Successors by block, in the order of the edges. */
static void find_successors(struct search *s)
{
	const struct map_func *f = s->f->f;
	const struct map_edge *e = s->f->object->p->map.edge + f->edge;
	uint32_t n = 0;
	for (size_t k = 0; k < f->nedges; k++)
		if (e[k].from && e[k].to)
			s->node[e[k].from - 1].nedges++;
	for (uint32_t b = 0; b < f->nblocks; b++) {
		bool back = comes_back(s, b);
		s->node[b].edge = n;
		n += s->node[b].nedges + back;
		s->node[b].nedges = back;
		if (back)
			s->to[s->node[b].edge] = b + 1;
	}
	for (size_t k = 0; k < f->nedges; k++)
		if (e[k].from && e[k].to) {
			struct node *from = &s->node[e[k].from - 1];
			s->to[from->edge + from->nedges++] = (uint32_t)(e[k].to - 1);
		}
}

static void search_all(struct search *s)
{
	const struct map_func *f = s->f->f;
	const struct map_edge *e = s->f->object->p->map.edge + f->edge;
	bool *entered = NEW_ARRAY(bool, f->nblocks);
	for (size_t k = 0; k < f->nedges; k++)
		if (!e[k].from && e[k].to)
			entered[e[k].to - 1] = true;
	find_successors(s);
	for (size_t k = 0; k < f->nedges; k++)
		if (!e[k].from && e[k].to > 1 && s->node[e[k].to - 2].nedges &&
			s->to[s->node[e[k].to - 2].edge] == e[k].to - 1)
			entered[e[k].to - 1] = false; /* a call comes back there */
	for (int again = 0; again < 2; again++)
		for (size_t k = 0; k < f->nedges; k++)
			if (!e[k].from && e[k].to && (again || entered[e[k].to - 1]))
				search_from(s, (uint32_t)(e[k].to - 1));
	free(entered);
}

/* Loops in the order of their heads; where each block is. */
static void make_loops(ldx_func *f, const struct node *node)
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
		const ldx_loop *outer = node[b].head == NONE ? NULL : f->loop_of[node[b].head];
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
	struct search s = {.f = f,
		.node = NEW_ARRAY(struct node, n),
		.to = NEW_ARRAY(uint32_t, f->f->nedges + n),
		.path = NEW_ARRAY(uint32_t, n)};
	for (size_t b = 0; b < n; b++)
		s.node[b].head = NONE;
	search_all(&s);
	make_loops(f, s.node);
	free(s.node);
	free(s.to);
	free(s.path);
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
