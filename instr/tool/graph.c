/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - edges, loops and exits of functions for tools in the link: include/ldx/program.h */
#include "instr/tool/session.h"

#include <stdlib.h>

/* A loop of one function, by its header. */
struct ldx_loop {
	uint32_t func, head;
};

struct graph {
	struct edge *edge;
	size_t nedges;
	struct ldx_loop *loop;
	size_t nloops;
	struct exit *exit;
	size_t nexits;
	struct loop_block *of; /* by block */
	uint64_t *count;       /* by edge; NULL: not asked for yet */
};

static struct graph *make_graph(struct tools *t, uint32_t f)
{
	struct arena *a = t->g->arena;
	const struct func *fn = &t->g->func.v[f];
	struct graph *g = arena_new(a, struct graph);
	struct exits x;
	struct exit e;
	if (left_out(fn))
		return g;
	flow_edges(&t->flow, f);
	g->nedges = t->flow.edge.n;
	g->edge = arena_array(a, struct edge, g->nedges + 1);
	memcpy(g->edge, t->flow.edge.v, g->nedges * sizeof *g->edge);
	g->of = arena_array(a, struct loop_block, fn->nblock + 1);
	memcpy(g->of, t->flow.loop.v, fn->nblock * sizeof *g->of);
	g->loop = arena_array(a, struct ldx_loop, fn->nblock + 1);
	for (uint32_t b = 0; b < fn->nblock; b++)
		if (g->of[b].is_head)
			g->loop[g->nloops++] = (struct ldx_loop){f, b};
	exits_start(&x, t->g, cfg_decoder(t->g, 0), f);
	while (exits_next(&x, &e))
		g->nexits++;
	g->exit = arena_array(a, struct exit, g->nexits + 1);
	exits_start(&x, t->g, cfg_decoder(t->g, 0), f);
	for (size_t i = 0; exits_next(&x, &e);)
		g->exit[i++] = e;
	return g;
}

static struct graph *graph_of(const struct func *fn)
{
	struct tools *t = asking;
	size_t f = (size_t)(fn - t->g->func.v);
	if (!t->graph)
		t->graph = arena_array(t->g->arena, struct graph *, t->g->func.n + 1);
	if (!t->graph[f])
		t->graph[f] = make_graph(t, (uint32_t)f);
	return t->graph[f];
}

/* Edges --------------------------------------------------------------------- */

const ldx_edge *ldx_next_edge(const ldx_func *f, const ldx_edge *e)
{
	const struct graph *g = graph_of(func_of(f));
	const struct edge *next = e ? edge_of(e) + 1 : g->edge;
	return next < g->edge + g->nedges ? (const ldx_edge *)(const void *)next : NULL;
}

enum ldx_edge_kind ldx_edge_kind(const ldx_edge *e)
{
	static const uint8_t kind[] = {[EDGE_FALL] = LDX_EDGE_FALLTHROUGH,
		[EDGE_TAKEN] = LDX_EDGE_TAKEN,
		[EDGE_TABLE] = LDX_EDGE_TABLE,
		[EDGE_IN] = LDX_EDGE_IN,
		[EDGE_OUT] = LDX_EDGE_OUT};
	return (enum ldx_edge_kind)kind[edge_of(e)->kind];
}

const ldx_block *ldx_edge_from(const ldx_edge *e)
{
	return block_handle(edge_of(e)->from);
}

const ldx_block *ldx_edge_to(const ldx_edge *e)
{
	return block_handle(edge_of(e)->to);
}

/* What is known of the edges into a block, or out of it. */
struct share {
	uint64_t sum;
	uint32_t unknown;
};

/* The shares of the blocks that an edge leaves and enters; NULL: that is outside. */
static void shares_of(const struct func *f, const struct edge *e, struct share *in,
	struct share *share[2])
{
	struct share *out = in + f->nblock;
	share[0] = e->from == NO_BLOCK ? NULL : &out[e->from - f->block];
	share[1] = e->to == NO_BLOCK ? NULL : &in[e->to - f->block];
}

/* A block is entered, and left, as often as it is executed: all edges but one tell that one. */
static bool derive_count(const struct edge *e, struct share *const share[2], uint64_t *count)
{
	for (unsigned k = 0; k < 2; k++) {
		if (!share[k] || share[k]->unknown != 1)
			continue;
		*count = ldx_block_count(block_handle(k ? e->to : e->from));
		if (*count != LDX_UNKNOWN && *count >= share[k]->sum) {
			*count -= share[k]->sum;
			return true;
		}
	}
	return false;
}

static void derive_counts(struct graph *g, const struct func *f)
{
	struct arena *a = asking->g->arena;
	struct share *in = arena_array(a, struct share, 2 * (size_t)f->nblock + 1), *share[2];
	g->count = arena_array(a, uint64_t, g->nedges + 1);
	for (size_t i = 0; i < g->nedges; i++) {
		g->count[i] = LDX_UNKNOWN;
		shares_of(f, &g->edge[i], in, share);
		for (unsigned k = 0; k < 2; k++)
			if (share[k])
				share[k]->unknown++;
	}
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < g->nedges; i++) {
			uint64_t n;
			shares_of(f, &g->edge[i], in, share);
			if (g->count[i] != LDX_UNKNOWN || !derive_count(&g->edge[i], share, &n))
				continue;
			g->count[i] = n;
			for (unsigned k = 0; k < 2; k++)
				if (share[k])
					share[k]->sum += n, share[k]->unknown--;
			more = true;
		}
	}
}

uint64_t ldx_edge_count(const ldx_edge *e)
{
	const struct edge *ed = edge_of(e);
	const struct cfg *cfg = asking->g;
	uint32_t b = ed->from == NO_BLOCK ? ed->to : ed->from;
	const struct func *f = &cfg->func.v[cfg->block.v[b].func];
	struct graph *g = graph_of(f);
	if (!g->count)
		derive_counts(g, f);
	return g->count[ed - g->edge];
}

/* Loops --------------------------------------------------------------------- */

const ldx_loop *ldx_next_loop(const ldx_func *f, const ldx_loop *l)
{
	const struct graph *g = graph_of(func_of(f));
	const struct ldx_loop *next = l ? l + 1 : g->loop;
	return next < g->loop + g->nloops ? next : NULL;
}

const ldx_block *ldx_loop_head(const ldx_loop *l)
{
	return block_handle(asking->g->func.v[l->func].block + l->head);
}

const ldx_loop *ldx_loop_parent(const ldx_loop *l)
{
	const struct graph *g = graph_of(&asking->g->func.v[l->func]);
	uint32_t head = g->of[l->head].head;
	for (size_t i = 0; i < g->nloops; i++)
		if (g->loop[i].head == head)
			return &g->loop[i];
	return NULL;
}

bool ldx_loop_has(const ldx_loop *l, const ldx_block *b)
{
	const struct func *fn = &asking->g->func.v[l->func];
	const struct graph *g = graph_of(fn);
	uint32_t k = (uint32_t)(block_of(b) - asking->g->block.v) - fn->block;
	if (k >= fn->nblock)
		return false;
	while (k != NO_BLOCK && k != l->head)
		k = g->of[k].head;
	return k == l->head;
}

unsigned ldx_block_depth(const ldx_block *b)
{
	const struct block *bl = block_of(b);
	const struct func *fn = &asking->g->func.v[bl->func];
	return graph_of(fn)->of[(uint32_t)(bl - asking->g->block.v) - fn->block].depth;
}

/* Exits --------------------------------------------------------------------- */

const ldx_exit *ldx_next_exit(const ldx_func *f, const ldx_exit *x)
{
	const struct graph *g = graph_of(func_of(f));
	const struct exit *next = x ? exit_of(x) + 1 : g->exit;
	return next < g->exit + g->nexits ? (const ldx_exit *)(const void *)next : NULL;
}

enum ldx_exit_kind ldx_exit_kind(const ldx_exit *x)
{
	static const uint8_t kind[] = {[EXIT_RETURN] = LDX_EXIT_RETURN,
		[EXIT_JUMP] = LDX_EXIT_JUMP,
		[EXIT_BRANCH] = LDX_EXIT_BRANCH,
		[EXIT_INDIRECT] = LDX_EXIT_INDIRECT,
		[EXIT_FALL] = LDX_EXIT_FALL,
		[EXIT_CALL] = LDX_EXIT_CALL,
		[EXIT_RESUME] = LDX_EXIT_RESUME,
		[EXIT_LONGJMP] = LDX_EXIT_LONGJMP,
		[EXIT_SYSCALL] = LDX_EXIT_SYSCALL,
		[EXIT_TRAP] = LDX_EXIT_TRAP};
	return (enum ldx_exit_kind)kind[exit_of(x)->kind];
}

const ldx_block *ldx_exit_block(const ldx_exit *x)
{
	return block_handle(exit_of(x)->block);
}

/* Its exit by a jump, a branch that is taken, or an indirect jump. */
ldx_site ldx_at_call(const ldx_insn *i)
{
	const ldx_block *b = ldx_insn_block(i);
	if (ldx_insn_class(i) & LDX_CLASS_CALL)
		return ldx_before(i);
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(ldx_block_func(b), x));)
		if (ldx_exit_block(x) == b && ldx_exit_kind(x) >= LDX_EXIT_JUMP &&
			ldx_exit_kind(x) <= LDX_EXIT_INDIRECT && !ldx_next_insn(b, i))
			return ldx_at_exit(x);
	return site_refused("it neither calls nor jumps out of the function");
}
