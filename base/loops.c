/* SPDX-License-Identifier: Apache-2.0 */
/* loops.c - the search for loops; see loops.h */
#include "base/loops.h"

/* Node b, and the loops around it, are in the loop of head h, which is on the path. */
static void put_into(struct loop_node *node, uint32_t b, uint32_t h)
{
	while (b != h && h != NO_NODE) {
		uint32_t outer = node[b].head;
		if (outer == h)
			return;
		if (outer == NO_NODE || node[outer].path < node[h].path) {
			node[b].head = h;
			b = h;
			h = outer;
		} else {
			b = outer;
		}
	}
}

static void meet(struct loop_node *node, uint32_t b, uint32_t to)
{
	uint32_t h = to;
	if (node[to].path)
		node[to].is_head = true;
	else
		for (h = node[to].head; h != NO_NODE && !node[h].path;)
			h = node[h].head;
	put_into(node, b, h);
}

static void enter(struct loop_search *s, uint32_t b)
{
	s->path[s->depth++] = b;
	s->node[b].path = s->depth;
	s->node[b].seen = true;
}

void loops_clear(struct loop_search *s, size_t n)
{
	s->depth = s->norder = 0;
	for (size_t i = 0; i < n; i++)
		s->node[i] = (struct loop_node){.head = NO_NODE};
}

void loops_from(struct loop_search *s, uint32_t root)
{
	if (s->node[root].seen)
		return;
	enter(s, root);
	while (s->depth) {
		uint32_t b = s->path[s->depth - 1], to;
		struct loop_node *n = &s->node[b];
		if (s->successor(s->ctx, b, n->next++, &to)) {
			if (to != NO_NODE && s->node[to].seen)
				meet(s->node, b, to);
			else if (to != NO_NODE)
				enter(s, to);
			continue;
		}
		s->order[s->norder++] = b;
		n->path = 0;
		if (--s->depth)
			put_into(s->node, s->path[s->depth - 1], n->head);
	}
}
