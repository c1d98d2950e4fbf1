/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inclusive.c - estimated instructions of functions with their callees; see calls.h
 */
#include "report/figures/calls.h"

#include <stdlib.h>

enum { NONE = UINT32_MAX };

struct node {
	double self, calls;	   /* instructions of its own, and the number of its calls */
	uint32_t call;		   /* the first call that it makes, in struct calls */
	uint32_t number, low, set; /* Tarjan 1972 */
	bool open;
};

struct graph {
	const struct calls *c;
	struct node *v;
	uint32_t n, numbers, sets;
	uint32_t *callee;	 /* by call: a node, or NONE; NONE also if it was not executed */
	uint32_t *stack, nstack; /* nodes that are in no set yet */
	uint32_t *order;	 /* nodes by set, callees first */
	uint32_t norder;
};

static uint32_t *first_nodes(const struct run *run)
{
	uint32_t *first = NEW_ARRAY(uint32_t, run->n + 1);
	for (size_t i = 0; i < run->n; i++)
		first[i + 1] = first[i] + (uint32_t)run->v[i].map.nfuncs;
	return first;
}

static uint32_t node_of(const struct run *run, const uint32_t *first, const struct program *p,
	const struct map_func *f)
{
	return first[p - run->v] + (uint32_t)(f - p->map.func);
}

static void make_nodes(struct graph *g, const struct run *run, const uint32_t *first)
{
	for (size_t i = 0; i < run->n; i++)
		for (size_t k = 0; k < run->v[i].map.nfuncs; k++) {
			const struct map_func *f = &run->v[i].map.func[k];
			struct func_sum s = func_sum(&run->v[i], f);
			g->v[first[i] + k] = (struct node){.self = (double)s.insns,
				.calls = s.calls_known ? (double)s.calls : 0,
				.call = NONE,
				.number = NONE};
		}
	for (size_t k = g->c->n; k-- > 0;) {
		const struct call *c = &g->c->v[k];
		g->v[node_of(run, first, c->p, c->from)].call = (uint32_t)k;
		g->callee[k] = c->to && (c->count || !c->known)
			? node_of(run, first, c->to_in, c->to)
			: NONE;
	}
}

/* The calls of a node are adjacent. */
static bool is_call_of(const struct graph *g, uint32_t k, uint32_t first)
{
	return k < g->c->n && g->c->v[k].from == g->c->v[first].from;
}

/* A node on the path of the search, and its next call. */
struct visit {
	uint32_t node, call;
};

static void begin_visit(struct graph *g, struct visit *v, uint32_t node)
{
	*v = (struct visit){node, g->v[node].call};
	g->v[node].number = g->v[node].low = g->numbers++;
	g->v[node].open = true;
	g->stack[g->nstack++] = node;
}

static void close_set(struct graph *g, uint32_t node)
{
	uint32_t top;
	do {
		top = g->stack[--g->nstack];
		g->v[top].open = false;
		g->v[top].set = g->sets;
		g->order[g->norder++] = top;
	} while (top != node);
	g->sets++;
}

static void lower(struct node *n, uint32_t to)
{
	n->low = to < n->low ? to : n->low;
}

/* Iterative, because a long chain of calls would make recursion deep. */
static void search(struct graph *g, struct visit *path, uint32_t from)
{
	size_t n = 1;
	begin_visit(g, path, from);
	while (n) {
		struct visit *v = &path[n - 1];
		struct node *node = &g->v[v->node];
		uint32_t to = NONE;
		if (node->call != NONE && is_call_of(g, v->call, node->call))
			to = g->callee[v->call++];
		else {
			if (node->low == node->number)
				close_set(g, v->node);
			if (--n)
				lower(&g->v[path[n - 1].node], node->low);
			continue;
		}
		if (to != NONE && g->v[to].number == NONE)
			begin_visit(g, &path[n++], to);
		else if (to != NONE && g->v[to].open)
			lower(node, g->v[to].number);
	}
}

/* The total cost of a set of functions that call each other, and the calls from outside it. */
struct sum {
	double insns, calls;
};

static void add_call(struct graph *g, uint32_t set, uint32_t k, struct sum *sum, double *of_call)
{
	const struct call *c = &g->c->v[k];
	uint32_t to = g->callee[k] == NONE ? NONE : g->v[g->callee[k]].set;
	if (c->measured)
		of_call[k] = (double)c->insns;
	if (to == set && c->known) {
		sum[set].calls -= (double)c->count;
		of_call[k] = c->measured ? of_call[k] : -1;
		return;
	}
	if (c->measured)
		sum[set].insns += of_call[k];
	if (c->measured || to == NONE || !c->known)
		return;
	double part = sum[to].calls > 0 ? (double)c->count / sum[to].calls : 0;
	of_call[k] = sum[to].insns * (part < 1 ? part : 1);
	sum[set].insns += of_call[k];
}

/* Callees come before their callers. */
static void add_up(struct graph *g, struct sum *sum, double *of_call)
{
	for (uint32_t i = 0; i < g->norder; i++) {
		const struct node *n = &g->v[g->order[i]];
		sum[n->set].insns += n->self;
		sum[n->set].calls += n->calls;
		for (uint32_t k = n->call; k != NONE && is_call_of(g, k, n->call); k++)
			add_call(g, n->set, k, sum, of_call);
	}
}

struct inclusive calls_inclusive(const struct run *run, const struct calls *c)
{
	uint32_t *first = first_nodes(run), n = first[run->n];
	struct graph g = {.c = c,
		.v = NEW_ARRAY(struct node, n),
		.n = n,
		.callee = NEW_ARRAY(uint32_t, c->n),
		.stack = NEW_ARRAY(uint32_t, n),
		.order = NEW_ARRAY(uint32_t, n)};
	struct visit *path = NEW_ARRAY(struct visit, n + 1);
	struct inclusive in = {NEW_ARRAY(double *, run->n), NEW_ARRAY(double, c->n), c->n > 0};
	for (size_t k = 0; k < c->n; k++)
		in.exact &= c->v[k].measured || (c->v[k].known && !c->v[k].count);
	make_nodes(&g, run, first);
	for (uint32_t i = 0; i < n; i++)
		if (g.v[i].number == NONE)
			search(&g, path, i);
	struct sum *sum = NEW_ARRAY(struct sum, g.sets + 1);
	add_up(&g, sum, in.of_call);
	for (size_t i = 0; i < run->n; i++) {
		in.insns[i] = NEW_ARRAY(double, run->v[i].map.nfuncs);
		for (size_t k = 0; k < run->v[i].map.nfuncs; k++)
			in.insns[i][k] = sum[g.v[first[i] + k].set].insns;
	}
	return in;
}
