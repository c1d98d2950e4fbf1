/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - a running sum of the instructions that are executed: ldx_clock() in ldx/tool.h
 *
 * As with counters, code is needed only on what is outside a spanning tree of a function's blocks
 * and edges, each block being an edge from its start to its end.  What the sum lacks at a node is
 * then known, and is 0 outside the function, so that each function adds what it has executed.
 */
#include "program/program.h"
#include "instr/static_map.h"
#include "instr/tool/calls.h"

#include <stdlib.h>

/* An edge between nodes: 0 is outside, then come the start and the end of each block. */
struct leg {
	uint32_t from, to;
	int64_t insns;
	float cost; /* of code that is executed each time that it is taken; < 0: impossible */
	enum { ON_BLOCK, ON_ENTRY, ON_RETURN, ON_EDGE, ON_NOTHING } at;
	uint32_t block;
	const ldx_edge *edge;
};
/* Nodes that are connected by legs of the tree. */
struct node {
	uint32_t up;
	int64_t more; /* what the sum lacks here - what it lacks at node up */
};
/* Of a function. */
struct clock {
	struct leg *leg; /* where insns are added */
	size_t nlegs;
	int64_t *lacks; /* by block, at its end */
	float *freq;	/* by block */
};

struct making {
	const struct cfg *g;
	const struct func *f;
	float *freq; /* by block */
	struct node *node;
	VEC(struct leg) leg;
};

static uint32_t start_of(const struct making *m, uint32_t b)
{
	return b == NO_BLOCK ? 0 : 1 + 2 * (b - m->f->block);
}

static uint32_t end_of(const struct making *m, uint32_t b)
{
	return b == NO_BLOCK ? 0 : 2 + 2 * (b - m->f->block);
}

static ldx_site site_of(const struct func *f, const struct leg *s)
{
	switch (s->at) {
	case ON_BLOCK: return site_in_block(s->block);
	case ON_ENTRY: return ldx_at_entry(func_handle(f));
	case ON_RETURN: return site_behind(s->block, 0);
	case ON_EDGE: return ldx_at_edge(s->edge);
	case ON_NOTHING: break;
	}
	return (ldx_site){0};
}

/* The sites that are looked at are not kept. */
static void add_leg(struct making *m, struct leg s)
{
	size_t sites = asking->site.n;
	asking->tries = true;
	s.cost = site_of(m->f, &s).place ? s.cost : -1;
	asking->tries = false;
	asking->site.n = sites;
	vec_push(&m->leg, s);
}

/* May only the call in front return to the block from outside? */
static bool is_return(const struct making *m, uint32_t b)
{
	const struct block *call = &m->g->block.v[b - 1];
	return b > m->f->block && !call->gap &&
		(call->end == END_SYSCALL ||
			(call->end == END_CALL &&
				cfg_callee(m->g, asking->flow.returns, b - 1) == CALLEE_ANY));
}

static bool calls(const struct block *b)
{
	return b->end == END_CALL || b->end == END_SYSCALL;
}

/* May the frame be unwound while the call at the block's end lasts? */
static bool may_stop_at(const struct making *m, uint32_t b)
{
	const struct block *bl = &m->g->block.v[b];
	return calls(bl) &&
		(bl->end == END_SYSCALL || bl->chosen ||
			cfg_callee(m->g, asking->flow.returns, b) != CALLEE_RETURNS);
}

static void add_blocks(struct making *m)
{
	for (uint32_t b = m->f->block; b < m->f->block + m->f->nblock; b++) {
		const struct block *bl = &m->g->block.v[b];
		struct leg s = {.from = start_of(m, b),
			.to = end_of(m, b),
			.insns = count_insns(m->g, &m->g->insn.v[bl->insn], bl->ninsn),
			.cost = m->freq[b - m->f->block],
			.at = ON_BLOCK,
			.block = b};
		if (bl->gap)
			continue;
		add_leg(m, s);
		if (may_stop_at(m, b))
			vec_push(&m->leg, (struct leg){.to = s.to, .cost = -1, .at = ON_NOTHING});
		if (!calls(bl) || !func_has_block(m->f, bl->fall) || m->g->block.v[bl->fall].gap)
			continue;
		s.from = s.to;
		s.to = start_of(m, bl->fall);
		s.insns = 0;
		s.at = ON_RETURN;
		add_leg(m, s);
	}
}

/* What a call does not return to is lost; who unwinds frames corrects the sum. */
static bool leads_on(const struct making *m, const struct edge *ed)
{
	if (ed->from == NO_BLOCK)
		return ed->to == m->f->block || !is_return(m, ed->to);
	const struct block *from = &m->g->block.v[ed->from];
	return !calls(from) && from->end != END_TRAP;
}

static void add_edges(struct making *m)
{
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(func_handle(m->f), e));) {
		const struct edge *ed = edge_of(e);
		bool jumps = ed->kind == EDGE_TAKEN || ed->kind == EDGE_TABLE;
		if (!leads_on(m, ed))
			continue;
		add_leg(m,
			(struct leg){.from = end_of(m, ed->from),
				.to = start_of(m, ed->to),
				.cost = ed->freq * (jumps ? 2.0F : 1.0F),
				.at = ed->from != NO_BLOCK	? ON_EDGE
					: ed->to == m->f->block ? ON_ENTRY
								: ON_NOTHING,
				.edge = e});
	}
}

static void find_freq(struct making *m)
{
	m->freq = arena_array(m->g->arena, float, m->f->nblock + 1);
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(func_handle(m->f), e));)
		if (edge_of(e)->to != NO_BLOCK)
			m->freq[edge_of(e)->to - m->f->block] += edge_of(e)->freq;
}

/* What must be in the tree comes first, then what is executed most often. */
static int compare_legs(const void *a, const void *b)
{
	const struct leg *x = a, *y = b;
	bool p = x->cost < 0, q = y->cost < 0;
	if (p != q)
		return p ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static struct node find(const struct making *m, uint32_t n)
{
	struct node sum = {n, 0};
	while (m->node[sum.up].up != sum.up) {
		sum.more += m->node[sum.up].more;
		sum.up = m->node[sum.up].up;
	}
	if (n != sum.up)
		m->node[n] = sum;
	return sum;
}

/* False: something cannot be added where it must; CPUs of 32 bits do not subtract. */
static bool choose(struct making *m)
{
	size_t kept = 0;
	bool possible = true;
	if (m->leg.n)
		qsort(m->leg.v, m->leg.n, sizeof *m->leg.v, compare_legs);
	for (size_t i = 0; i < m->leg.n; i++) {
		struct leg s = m->leg.v[i];
		struct node from = find(m, s.from), to = find(m, s.to);
		s.insns += from.more - to.more;
		if (from.up != to.up) {
			m->node[to.up] = (struct node){from.up, s.insns};
			continue;
		}
		if (!s.insns)
			continue;
		possible &= s.cost >= 0 && (s.insns > 0 || m->g->target->word == 8);
		m->leg.v[kept++] = s;
	}
	m->leg.n = kept;
	return possible;
}

/* Then each block adds its own. */
static bool take_blocks(struct making *m)
{
	size_t kept = 0;
	bool possible = true;
	m->leg.n = 0;
	add_blocks(m);
	for (size_t i = 0; i < m->leg.n; i++)
		if (m->leg.v[i].insns) {
			possible &= m->leg.v[i].cost >= 0;
			m->leg.v[kept++] = m->leg.v[i];
		}
	m->leg.n = kept;
	return possible;
}

static struct clock *make_clock(const struct func *f)
{
	const struct cfg *g = asking->g;
	struct making m = {.g = g, .f = f};
	struct clock *c = arena_new(g->arena, struct clock);
	uint32_t nodes = 1 + 2 * f->nblock;
	c->lacks = arena_array(g->arena, int64_t, f->nblock + 1);
	m.node = arena_array(g->arena, struct node, nodes);
	for (uint32_t n = 0; n < nodes; n++)
		m.node[n].up = n;
	find_freq(&m);
	c->freq = m.freq;
	add_blocks(&m);
	add_edges(&m);
	bool trees = choose(&m);
	for (uint32_t b = 0; trees && b < f->nblock; b++)
		c->lacks[b] = find(&m, end_of(&m, f->block + b)).more - find(&m, 0).more;
	if (trees || take_blocks(&m)) {
		c->nlegs = m.leg.n;
		c->leg = arena_array(g->arena, struct leg, m.leg.n + 1);
		if (m.leg.n)
			memcpy(c->leg, m.leg.v, m.leg.n * sizeof *m.leg.v);
	} else {
		c->lacks = NULL;
	}
	vec_free(&m.leg);
	return c;
}

static struct clock *clock_of(const struct func *f)
{
	struct tools *t = asking;
	size_t i = (size_t)(f - t->g->func.v);
	if (!t->clock)
		t->clock = arena_array(t->g->arena, struct clock *, t->g->func.n + 1);
	if (!t->clock[i])
		t->clock[i] = make_clock(f);
	return t->clock[i];
}

int64_t ldx_clock_lacks(const ldx_block *b)
{
	const struct block *bl = block_of(b);
	const struct func *f = &asking->g->func.v[bl->func];
	const struct clock *c = clock_of(f);
	return c->lacks ? c->lacks[(uint32_t)(bl - asking->g->block.v) - f->block] : 0;
}

double block_frequency(const ldx_block *b)
{
	const struct block *bl = block_of(b);
	const struct func *f = &asking->g->func.v[bl->func];
	return (double)clock_of(f)->freq[(uint32_t)(bl - asking->g->block.v) - f->block];
}

bool clock_lands(const ldx_func *func, const ldx_block *b)
{
	const struct func *f = func_of(func);
	struct making m = {.g = asking->g, .f = f};
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(func, e));)
		if (edge_of(e)->from == NO_BLOCK && (!b || block_handle(edge_of(e)->to) == b) &&
			edge_of(e)->to != f->block && leads_on(&m, edge_of(e)))
			return true;
	return false;
}

bool ldx_clock(const ldx_func *func, const char *variable, size_t word)
{
	const struct func *f = func_of(func);
	if (left_out(f))
		return site_refused(left_out(f)).place;
	const struct clock *c = clock_of(f);
	if (!c->lacks)
		return site_refused("a block has no place for it").place;
	for (size_t i = 0; i < c->nlegs; i++)
		ldx_add_to(site_of(f, &c->leg[i]), variable, word, c->leg[i].insns);
	return true;
}
