/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - which calls need not be measured, as what they execute follows from others
 *
 * What the calls of a function execute is what it executes itself and what its own calls do: a flow
 * along calls, from callees to callers, of which it is enough to measure what is outside a spanning
 * tree, as with counters (Knuth 1973).  Functions that control may enter or leave in other ways are
 * one node, where the sum is not known.  ldxprof solves the equations (report/figures/derived.c).
 */
#include "instr/tool/calls.h"

#include <stdlib.h>

struct arc {
	const ldx_block *block; /* the call or jump ends it */
	uint32_t from, to;	/* functions */
	double times;
};
/* Instructions, about.  A measured jump costs something behind each call that it may end with. */
enum { SIMPLE_COST = 5, CALL_COST = 11, JUMP_COST = 40 };

struct tree {
	bool *derived;	/* by block */
	bool *enclosed; /* by function: all ways into and out of it are calls that have arcs */
};

struct growing {
	struct tree *t;
	uint32_t nfuncs;
	VEC(struct arc) arc;
	bool *called;  /* by function: it has arcs to it; an entry point of the program has none */
	double *times; /* by function: it is called, estimated */
	uint32_t *up;  /* of nodes, by function + 1; 0: all functions that are not enclosed */
};

static void exclude(struct growing *g, const ldx_func *f)
{
	if (f)
		g->t->enclosed[func_number(f)] = false;
}

/*
 * Does it lead into the middle of a function, or can it not be measured?  Where code stands on the
 * edge of a branch, ldxprof does not see where that leads.
 */
static bool is_odd(const ldx_exit *x)
{
	enum ldx_exit_kind kind = ldx_exit_kind(x);
	const ldx_insn *i = ldx_last_insn(ldx_exit_block(x));
	return kind == LDX_EXIT_FALL || kind == LDX_EXIT_BRANCH ||
		(kind_at(ldx_exit_block(x)) == LDX_CALL_JUMP && !ldx_at_exit(x).place) ||
		(kind == LDX_EXIT_JUMP && !ldx_insn_callee(i) && !ldx_insn_callee_name(i));
}

static void find_ways(struct growing *g, const ldx_func *f)
{
	if (ldx_func_opaque(f) || clock_lands(f, NULL) || !called_by_name(func_of(f)))
		exclude(g, f);
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));)
		if (is_odd(x)) {
			exclude(g, f);
			exclude(g, ldx_insn_callee(ldx_last_insn(ldx_exit_block(x))));
		}
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		const ldx_insn *i = ldx_last_insn(b);
		bool unseen = kind_at(b) == LDX_CALL_UNSEEN;
		if (unseen)
			exclude(g, f);
		if (unseen || ldx_insn_class(i) & LDX_CLASS_INDIRECT)
			exclude(g, ldx_insn_callee(i));
	}
}

static double cost_of(const ldx_insn *i)
{
	bool simple = is_safe(ldx_insn_callee(i)) && !ldx_call_recurs(i);
	return ldx_call_kind(i) == LDX_CALL_JUMP ? JUMP_COST : simple ? SIMPLE_COST : CALL_COST;
}

static void add_arcs(struct growing *g, const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		const ldx_insn *i = ldx_last_insn(b);
		enum ldx_call_kind kind = kind_at(b);
		bool jump = kind == LDX_CALL_JUMP && ldx_block_end(b) == LDX_END_JUMP;
		const ldx_func *to = jump || kind == LDX_CALL_SEEN ? ldx_insn_callee(i) : NULL;
		if (!to || ldx_insn_class(i) & LDX_CLASS_INDIRECT)
			continue;
		g->called[func_number(to)] = true;
		vec_push(&g->arc,
			(struct arc){b, func_number(f), func_number(to), block_frequency(b)});
	}
}

/*
 * How often functions are called: by those that call them, half as often as these say, so that it
 * stays finite.
 */
static void find_times(struct growing *g)
{
	double *next = arena_array(asking->g->arena, double, g->nfuncs + 1);
	for (unsigned round = 0; round < 8; round++) {
		for (uint32_t f = 0; f < g->nfuncs; f++)
			next[f] = 1;
		for (const struct arc *a = g->arc.v; a < g->arc.v + g->arc.n; a++)
			next[a->to] += g->times[a->from] * a->times / 2;
		memcpy(g->times, next, g->nfuncs * sizeof *next);
	}
	for (struct arc *a = g->arc.v; a < g->arc.v + g->arc.n; a++)
		a->times *= g->times[a->from] * cost_of(ldx_last_insn(a->block));
}

static int compare_arcs(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;
	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	return ldx_block_id(x->block) < ldx_block_id(y->block) ? -1 : 1;
}

static uint32_t find_node(uint32_t *up, uint32_t n)
{
	for (; up[n] != n; n = up[n])
		up[n] = up[up[n]];
	return n;
}

static uint32_t node_of(const struct growing *g, uint32_t f)
{
	return find_node(g->up, g->t->enclosed[f] ? f + 1 : 0);
}

static void find_derived(struct growing *g)
{
	if (g->arc.n)
		qsort(g->arc.v, g->arc.n, sizeof *g->arc.v, compare_arcs);
	for (const struct arc *a = g->arc.v; a < g->arc.v + g->arc.n; a++) {
		uint32_t from = node_of(g, a->from), to = node_of(g, a->to);
		if (from == to)
			continue;
		g->up[to] = from;
		g->t->derived[block_number(a->block)] = true;
	}
}

static void grow(struct growing *g)
{
	for (uint32_t f = 0; f < g->nfuncs; f++) {
		g->t->enclosed[f] = true;
		g->times[f] = 1;
		g->up[f + 1] = f + 1;
	}
	for (const ldx_func *f = NULL; (f = ldx_next_func(NULL, f));)
		find_ways(g, f);
	for (const ldx_func *f = NULL; (f = ldx_next_func(NULL, f));)
		add_arcs(g, f);
	for (uint32_t f = 0; f < g->nfuncs; f++)
		g->t->enclosed[f] &= g->called[f];
	find_times(g);
	find_derived(g);
	vec_free(&g->arc);
}

static const struct tree *tree(void)
{
	struct arena *a = asking->g->arena;
	uint32_t n = (uint32_t)asking->g->func.n;
	if (asking->tree)
		return asking->tree;
	struct tree *t = arena_new(a, struct tree);
	t->derived = arena_array(a, bool, asking->g->block.n + 1);
	t->enclosed = arena_array(a, bool, n + 1);
	if (calls_nest())
		grow(&(struct growing){.t = t,
			.nfuncs = n,
			.called = arena_array(a, bool, n + 1),
			.times = arena_array(a, double, n + 1),
			.up = arena_array(a, uint32_t, n + 1)});
	return asking->tree = t;
}

bool ldx_call_is_derived(const ldx_insn *i)
{
	const ldx_block *b = ldx_insn_block(i);
	return i == ldx_last_insn(b) && tree()->derived[block_number(b)];
}

bool ldx_func_is_enclosed(const ldx_func *f)
{
	return tree()->enclosed[func_number(f)];
}
