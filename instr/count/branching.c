/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branching.c - the heaviest choice of at most one way out of each node, without circles
 *
 * Each node takes its heaviest way; a circle that so arises becomes one node, whose ways out
 * are what they gain beside the way that the circle then loses (Edmonds, "Optimum branchings",
 * 1967).  The ways of a node are a heap that two of can be joined (Tarjan, "Finding
 * optimum branchings", 1977): in all as long as sorting takes.
 */
#include "instr/count/branching.h"

#include "base/base.h"

#include <stdlib.h>

/* A way in a leftist heap; 0: none.  add is still to be added to the gains of both below. */
struct entry {
	double gain, add;
	uint32_t left, right, rank;
};

/* Nodes, and behind them circles of these. */
struct group {
	uint32_t in;		/* the circle it is in, or NONE */
	uint32_t heap;
	uint32_t way;		/* that it takes */
	double gain;		/* of that */
	bool on_path, done;
};

enum { NONE = UINT32_MAX };

struct branching {
	const struct way *way;
	struct entry *entry;	/* by way, from 1 on */
	struct group *group;
	uint32_t *set;		/* union-find of groups */
	uint32_t *path;
	uint32_t ngroups, depth;
};

/* Heaps ----------------------------------------------------------------- */

static bool before(const struct entry *e, uint32_t a, uint32_t b)
{
	return e[a].gain != e[b].gain ? e[a].gain > e[b].gain : a < b;
}

static void add(struct entry *e, uint32_t a, double gain)
{
	if (a) {
		e[a].gain += gain;
		e[a].add += gain;
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

/* Circles --------------------------------------------------------------- */

static uint32_t group_of(struct branching *s, uint32_t node)
{
	uint32_t *set = s->set;
	while (set[node] != node)
		node = set[node] = set[set[node]];
	return node;
}

/* The path from group u on has come back to it. */
static uint32_t close_circle(struct branching *s, uint32_t u)
{
	uint32_t c = s->ngroups++, w;
	s->group[c] = (struct group){ .in = NONE, .way = NONE };
	s->set[c] = c;
	do {
		w = s->path[--s->depth];
		struct group *g = &s->group[w];
		add(s->entry, g->heap, -g->gain);
		s->group[c].heap = merge(s->entry, s->group[c].heap, g->heap);
		g->in = s->set[w] = c;
	} while (w != u);
	return c;
}

/* The heaviest way out of group u, and where it leads; NONE: there is none. */
static uint32_t take_way(struct branching *s, uint32_t u)
{
	struct group *g = &s->group[u];
	while (g->heap) {
		uint32_t a = pop(s->entry, &g->heap), to = group_of(s, s->way[a - 1].to);
		if (to == u)
			continue;
		g->way = a - 1;
		g->gain = s->entry[a].gain;
		return to;
	}
	return NONE;
}

static void follow(struct branching *s, uint32_t u)
{
	while (u != NONE && !s->group[u].done) {
		if (s->group[u].on_path) {
			u = close_circle(s, u);
			continue;
		}
		s->path[s->depth++] = u;
		s->group[u].on_path = true;
		u = take_way(s, u);
	}
	while (s->depth)
		s->group[s->path[--s->depth]].done = true;
}

/* What leaves a circle leaves it at one node: those around that one take this way. */
static void open_circles(struct branching *s)
{
	for (uint32_t c = s->ngroups; c-- > 0;)
		s->group[c].done = false;
	for (uint32_t c = s->ngroups; c-- > 0;) {
		if (s->group[c].done || s->group[c].way == NONE)
			continue;
		uint32_t way = s->group[c].way;
		for (uint32_t v = s->way[way].from; v != c; v = s->group[v].in) {
			s->group[v].way = way;
			s->group[v].done = true;
		}
	}
}

void max_branching(uint32_t nodes, const struct way *way, size_t n, bool *taken)
{
	struct branching s = { .way = way, .ngroups = nodes };
	s.entry = calloc(n + 1, sizeof *s.entry);
	s.group = calloc(2 * (size_t)nodes, sizeof *s.group);
	s.set = malloc(4 * (size_t)nodes * sizeof *s.set);
	if (!s.entry || !s.group || !s.set)
		fatal("out of memory");
	s.path = s.set + 2 * (size_t)nodes;
	for (uint32_t u = 0; u < nodes; u++) {
		s.group[u] = (struct group){ .in = NONE, .way = NONE };
		s.set[u] = u;
	}
	for (size_t a = 0; a < n; a++) {
		struct group *g = &s.group[way[a].from];
		s.entry[a + 1] = (struct entry){ .gain = way[a].gain, .rank = 1 };
		g->heap = merge(s.entry, g->heap, (uint32_t)a + 1);
		taken[a] = false;
	}
	for (uint32_t u = 0; u < nodes; u++)
		follow(&s, group_of(&s, u));
	open_circles(&s);
	for (uint32_t u = 0; u < nodes; u++)
		if (s.group[u].way != NONE)
			taken[s.group[u].way] = true;
	free(s.entry);
	free(s.group);
	free(s.set);
}
