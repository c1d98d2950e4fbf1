/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls-tree.h - which calls need not be measured, as what they execute follows from others
 *
 * What the calls of a function execute is what it executes itself and what its own calls do: a flow
 * along calls, from callees to callers, of which it is enough to measure what is outside a spanning
 * tree, as with counters (Knuth 1973).  Functions that control may enter or leave in other ways are
 * one node, where the sum is not known.  ldxprof solves the equations (report/figures/derived.c).
 */
#include "calls-functions.h"

struct arc {
	const ldx_insn *insn;
	const ldx_func *from, *to;
	double times;
	bool jump;
};
/* Instructions, about.  A measured jump costs something behind each call that it may end with. */
enum { SIMPLE_COST = 5, CALL_COST = 11, JUMP_COST = 40 };
static struct arc *arcs;
static uint32_t narcs;
static uint32_t *up;   /* of nodes, by rank + 1; 0: all functions that are not closed */
static bool *enclosed; /* by rank: all ways into and out of the function are calls that have arcs */
static double *times;  /* by rank: it is called, estimated */
static bool *called;   /* by rank: it has arcs to it; an entry point of the program has none */
static uint8_t *derived; /* by block */

static uint32_t find_node(uint32_t n)
{
	for (; up[n] != n; n = up[n])
		up[n] = up[up[n]];
	return n;
}

static bool is_enclosed(const ldx_func *f)
{
	return enclosed[ldx_func_rank(f)] && called[ldx_func_rank(f)];
}

static uint32_t node_of(const ldx_func *f)
{
	return is_enclosed(f) ? ldx_func_rank(f) + 1 : 0;
}

/*
 * Does it lead into the middle of a function, or can it not be measured?  Where code stands on the
 * edge of a branch, ldxprof does not see where that leads.
 */
static bool is_odd(const ldx_exit *x)
{
	enum ldx_exit_kind kind = ldx_exit_kind(x);
	const ldx_insn *i = last_of(ldx_exit_block(x));
	return kind == LDX_EXIT_FALL || kind == LDX_EXIT_BRANCH ||
		(is_jump(x) && !ldx_at_exit(x).place) ||
		(kind == LDX_EXIT_JUMP && !ldx_insn_callee(i) && !ldx_insn_callee_name(i));
}

static void exclude(const ldx_func *f)
{
	if (f)
		enclosed[ldx_func_rank(f)] = false;
}

static void find_ways(const ldx_func *f)
{
	if (ldx_func_opaque(f) || has_labels(f) || !ldx_func_called_by_name(f))
		exclude(f);
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));)
		if (is_odd(x)) {
			exclude(f);
			exclude(ldx_insn_callee(last_of(ldx_exit_block(x))));
		}
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		const ldx_insn *i = last_of(b);
		bool call = ldx_block_end(b) == LDX_END_CALL && !is_closed(i) && !is_measured(i);
		if (call)
			exclude(f);
		if (call || ldx_insn_class(i) & LDX_CLASS_INDIRECT)
			exclude(ldx_insn_callee(i));
	}
}

static void add_arc(const ldx_func *f, const ldx_insn *i, bool jump)
{
	const ldx_func *to = ldx_insn_callee(i);
	if (!to || ldx_insn_class(i) & LDX_CLASS_INDIRECT)
		return;
	if (!(narcs & (narcs - 1)))
		arcs = realloc(arcs, (narcs ? 2 * narcs : 1) * sizeof *arcs);
	if (!arcs)
		ldx_fail("out of memory");
	called[ldx_func_rank(to)] = true;
	arcs[narcs++] = (struct arc){i, f, to, ldx_block_frequency(ldx_insn_block(i)), jump};
}

static void add_arcs(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
		if (ldx_block_end(b) == LDX_END_CALL && is_measured(last_of(b)))
			add_arc(f, last_of(b), false);
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));)
		if (is_jump(x) && ldx_exit_kind(x) == LDX_EXIT_JUMP)
			add_arc(f, last_of(ldx_exit_block(x)), true);
}

static double cost_of(const struct arc *a)
{
	bool simple = has(a->to, SAFE) && !ldx_call_recurs(a->insn);
	return a->jump ? JUMP_COST : simple ? SIMPLE_COST : CALL_COST;
}

/*
 * How often functions are called: by those that call them, half as often as these say, so that it
 * stays finite.
 */
static void find_times(void)
{
	double *next = zeroed(nfuncs, sizeof *next);
	for (unsigned round = 0; round < 8; round++) {
		for (uint32_t k = 0; k < nfuncs; k++)
			next[k] = 1;
		for (const struct arc *a = arcs; a < arcs + narcs; a++)
			next[ldx_func_rank(a->to)] += times[ldx_func_rank(a->from)] * a->times / 2;
		memcpy(times, next, nfuncs * sizeof *next);
	}
	free(next);
	for (struct arc *a = arcs; a < arcs + narcs; a++)
		a->times *= times[ldx_func_rank(a->from)] * cost_of(a);
}

static int compare_arcs(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;
	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	return ldx_block_id(ldx_insn_block(x->insn)) < ldx_block_id(ldx_insn_block(y->insn)) ? -1
											     : 1;
}

static bool is_derived(const ldx_insn *i)
{
	return derived && derived[ldx_block_id(ldx_insn_block(i))];
}

static void derive(const struct arc *a)
{
	uint32_t from = find_node(node_of(a->from)), to = find_node(node_of(a->to));
	if (from == to)
		return;
	up[to] = from;
	derived[ldx_block_id(ldx_insn_block(a->insn))] = 1;
}

/* Does a jump that is measured end with the calls of f? */
static bool jumps(const ldx_func *f)
{
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));) {
		const ldx_insn *i = last_of(ldx_exit_block(x));
		if (is_jump(x) && (!is_derived(i) || has(ldx_insn_callee(i), JUMPS)))
			return true;
	}
	return false;
}

static void find_jumps(const ldx_object *o)
{
	for (uint32_t k = 0; k < nfuncs; k++)
		traits[k] &= (uint8_t)~JUMPS;
	for (bool more = true; more;) {
		more = false;
		for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
			if (!has(f, JUMPS) && jumps(f)) {
				traits[ldx_func_rank(f)] |= JUMPS;
				more = true;
			}
	}
}

static void find_tree(const ldx_object *o, uint32_t nblocks)
{
	enclosed = zeroed(nfuncs, sizeof *enclosed);
	called = zeroed(nfuncs, sizeof *called);
	times = zeroed(nfuncs, sizeof *times);
	up = zeroed(nfuncs + 1, sizeof *up);
	derived = zeroed(nblocks, 1);
	for (uint32_t k = 0; k < nfuncs; k++) {
		enclosed[k] = true;
		times[k] = 1;
		up[k + 1] = k + 1;
	}
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		find_ways(f);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		add_arcs(f);
	find_times();
	if (narcs)
		qsort(arcs, narcs, sizeof *arcs, compare_arcs);
	for (uint32_t k = 0; k < narcs; k++)
		derive(&arcs[k]);
	free(arcs);
}

/* Two bits for each block: see ldxprof(5). */
static ldx_arg known_bits(const ldx_object *o, uint32_t *n, uint32_t nblocks)
{
	uint32_t words = nblocks / 32 + 1;
	uint64_t *bits = zeroed(words, sizeof *bits);
	ldx_arg *arg = zeroed(words, sizeof *arg), all;
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL, *before = NULL; (b = ldx_next_block(f, b));
			before = b) {
			uint32_t id = ldx_block_id(b);
			bool sum = derived && !before && is_enclosed(f);
			uint64_t is = (derived && derived[id] ? 0 : 1) | (sum ? 2 : 0);
			bits[id / 32] |= is << id % 32 * 2;
		}
	for (*n = 0; *n < words; ++*n)
		arg[*n] = ldx_number(bits[*n]);
	all = ldx_words(arg, words);
	free(arg);
	free(bits);
	return all;
}

/* By block, what group() in calls-routines.c reads: the least significant byte first. */
static ldx_arg groups_of(const ldx_object *o, uint32_t nblocks)
{
	uint8_t *v = zeroed(nblocks, 4);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		const uint32_t group = group_of(f);
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (unsigned k = 0; k < 4; k++)
				v[4 * ldx_block_id(b) + k] = (uint8_t)(group >> 8 * k);
	}
	ldx_arg all = ldx_bytes(v, 4 * (size_t)nblocks, 1);
	free(v);
	return all;
}
