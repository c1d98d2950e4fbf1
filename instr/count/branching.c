/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branching.c - a maximum branching; see branching.h
 *
 * Each node takes its heaviest arc.  A cycle of these is contracted to one node; the weight of
 * an arc out of it is reduced by that of the cycle's arc which it replaces (Edmonds, "Optimum
 * branchings", 1967).  The arcs of a node are in a mergeable heap (Tarjan, "Finding optimum
 * branchings", 1977), so the time is that of sorting.
 */
#include "instr/count/branching.h"

#include "base/base.h"

#include <stdlib.h>

/* An arc in a leftist heap; 0: none.  add is yet to be added to the weights of both subtrees. */
struct entry {
	double weight, add;
	uint32_t left, right, rank;
};

/* A node, or (behind all nodes) a contracted cycle. */
struct group {
	uint32_t in; /* the cycle it is contracted into, or NONE */
	uint32_t heap;
	uint32_t arc;  /* the arc it takes, or NONE */
	double weight; /* that arc's */
	bool on_path, done;
};

enum { NONE = UINT32_MAX };

struct branching {
	const struct weighted_arc *arc;
	struct entry *entry; /* by arc, from 1 */
	struct group *group;
	uint32_t *set; /* union-find of groups */
	uint32_t *path;
	uint32_t ngroups, depth;
};

/* Heaps ----------------------------------------------------------------- */

static bool before(const struct entry *e, uint32_t a, uint32_t b)
{
	return e[a].weight != e[b].weight ? e[a].weight > e[b].weight : a < b;
}

static void add(struct entry *e, uint32_t a, double weight)
{
	if (a) {
		e[a].weight += weight;
		e[a].add += weight;
	}
}

static void add_below(struct entry *e, uint32_t a)
{
	add(e, e[a].left, e[a].add);
	add(e, e[a].right, e[a].add);
	e[a].add = 0;
}

static uint32_t merge(struct entry *e, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return a ? a : b;
	if (before(e, b, a)) {
		uint32_t x = a;
		a = b;
		b = x;
	}
	add_below(e, a);
	uint32_t right = merge(e, e[a].right, b), left = e[a].left;
	bool swap = e[left].rank < e[right].rank;
	e[a].left = swap ? right : left;
	e[a].right = swap ? left : right;
	e[a].rank = e[e[a].right].rank + 1;
	return a;
}

static uint32_t pop(struct entry *e, uint32_t *heap)
{
	uint32_t a = *heap;
	add_below(e, a);
	*heap = merge(e, e[a].left, e[a].right);
	return a;
}

/* Cycles ---------------------------------------------------------------- */

static uint32_t group_of(struct branching *s, uint32_t node)
{
	uint32_t *set = s->set;
	while (set[node] != node)
		node = set[node] = set[set[node]];
	return node;
}

/* Contract the cycle that the path has closed at group u. */
static uint32_t close_cycle(struct branching *s, uint32_t u)
{
	uint32_t c = s->ngroups++, w;
	s->group[c] = (struct group){.in = NONE, .arc = NONE};
	s->set[c] = c;
	do {
		w = s->path[--s->depth];
		struct group *g = &s->group[w];
		add(s->entry, g->heap, -g->weight);
		s->group[c].heap = merge(s->entry, s->group[c].heap, g->heap);
		g->in = s->set[w] = c;
	} while (w != u);
	return c;
}

/* Take the heaviest arc out of group u; returns the group it leads to, or NONE. */
static uint32_t take_arc(struct branching *s, uint32_t u)
{
	struct group *g = &s->group[u];
	while (g->heap) {
		uint32_t a = pop(s->entry, &g->heap), to = group_of(s, s->arc[a - 1].to);
		if (to == u)
			continue;
		g->arc = a - 1;
		g->weight = s->entry[a].weight;
		return to;
	}
	return NONE;
}

static void follow(struct branching *s, uint32_t u)
{
	while (u != NONE && !s->group[u].done) {
		if (s->group[u].on_path) {
			u = close_cycle(s, u);
			continue;
		}
		s->path[s->depth++] = u;
		s->group[u].on_path = true;
		u = take_arc(s, u);
	}
	while (s->depth)
		s->group[s->path[--s->depth]].done = true;
}

/* The arc out of a cycle leaves it at one node, and all groups between the two take that arc. */
static void expand_cycles(struct branching *s)
{
	for (uint32_t c = s->ngroups; c-- > 0;)
		s->group[c].done = false;
	for (uint32_t c = s->ngroups; c-- > 0;) {
		if (s->group[c].done || s->group[c].arc == NONE)
			continue;
		uint32_t arc = s->group[c].arc;
		for (uint32_t v = s->arc[arc].from; v != c; v = s->group[v].in) {
			s->group[v].arc = arc;
			s->group[v].done = true;
		}
	}
}

void max_branching(uint32_t nodes, const struct weighted_arc *arc, size_t n, bool *taken)
{
	struct branching s = {.arc = arc, .ngroups = nodes};
	s.entry = malloc((n + 1) * sizeof *s.entry);
	s.group = malloc(2 * (size_t)nodes * sizeof *s.group);
	s.set = malloc(4 * (size_t)nodes * sizeof *s.set);
	if (!s.entry || !s.group || !s.set)
		fatal("out of memory");
	s.path = s.set + 2 * (size_t)nodes;
	s.entry[0] = (struct entry){0};
	for (uint32_t u = 0; u < nodes; u++) {
		s.group[u] = (struct group){.in = NONE, .arc = NONE};
		s.set[u] = u;
	}
	for (size_t a = 0; a < n; a++) {
		struct group *g = &s.group[arc[a].from];
		s.entry[a + 1] = (struct entry){.weight = arc[a].weight, .rank = 1};
		g->heap = merge(s.entry, g->heap, (uint32_t)a + 1);
		taken[a] = false;
	}
	for (uint32_t u = 0; u < nodes; u++)
		follow(&s, group_of(&s, u));
	expand_cycles(&s);
	for (uint32_t u = 0; u < nodes; u++)
		if (s.group[u].arc != NONE)
			taken[s.group[u].arc] = true;
	free(s.entry);
	free(s.group);
	free(s.set);
}
