/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loops.c - the loops of one function, and the estimated frequencies of its blocks
 *
 * Frequencies follow from the probabilities of edges, inner loops first (Wu and Larus,
 * "Static branch frequency and program profile analysis", 1994); in the loop around it, an
 * inner loop is a single block with the inner loop's exits.
 */
#include "instr/count/flow.h"
#include "cfg/opaque.h"

#include <stdlib.h>

/* The greatest probability with which a loop repeats. */
#define MOST_AGAIN 0.996f
#define MOST_OFTEN 1e30f

bool flow_comes_back(const struct flow *w, uint32_t b)
{
	const struct block *bl = &w->g->block.v[w->first + b];
	const struct flow_block *fb = &w->block.v[b];
	return bl->fall == w->first + b + 1 && b + 1 < w->block.n && fb->nedge == 1 &&
		(bl->end == END_CALL || bl->end == END_SYSCALL) &&
		w->edge.v[fb->edge].kind == EDGE_OUT;
}

/* Successor i of b, last the block that a call returns to from outside; NO_BLOCK: outside. */
static uint32_t successor(const struct flow *w, uint32_t b, uint32_t i)
{
	const struct flow_block *fb = &w->block.v[b];
	if (i == fb->nedge)
		return flow_comes_back(w, b) ? b + 1 : NO_BLOCK;
	uint32_t to = w->edge.v[fb->edge + i].to;
	return to == NO_BLOCK ? NO_BLOCK : to - w->first;
}

/* Finding -------------------------------------------------------------- */

static bool next_block(const void *flow, uint32_t b, uint32_t i, uint32_t *to)
{
	const struct flow *w = flow;
	if (i > w->block.v[b].nedge)
		return false;
	*to = successor(w, b, i);
	return true;
}

static void reverse(uint32_t *v, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t x = v[i];
		v[i] = v[n - 1 - i];
		v[n - 1 - i] = x;
	}
}

/* Entries behind calls that come back are reached from there. */
static void search_all(struct flow *w, struct loop_search *s)
{
	for (size_t e = 0; e < w->edge.n && w->edge.v[e].kind == EDGE_IN; e++) {
		uint32_t b = w->edge.v[e].to - w->first;
		if (!b || !flow_comes_back(w, b - 1))
			loops_from(s, b);
	}
	for (size_t e = 0; e < w->edge.n && w->edge.v[e].kind == EDGE_IN; e++)
		loops_from(s, w->edge.v[e].to - w->first);
}

void flow_loops(struct flow *w)
{
	size_t n = w->block.n;
	vec_reserve(&w->work, n);
	vec_reserve(&w->order, n);
	vec_reserve(&w->node, n);
	struct loop_search s = {.successor = next_block,
		.ctx = w,
		.node = w->node.v,
		.path = w->work.v,
		.order = w->order.v};
	loops_clear(&s, n);
	search_all(w, &s);
	w->order.n = s.norder;
	reverse(w->order.v, w->order.n);
	w->loop.n = 0;
	for (size_t b = 0; b < n; b++)
		vec_push(&w->loop,
			(struct loop_block){.head = s.node[b].head,
				.is_head = s.node[b].is_head,
				.member = NO_BLOCK,
				.sibling = NO_BLOCK,
				.exit = NO_BLOCK});
	for (size_t i = 0; i < w->order.n; i++) {
		struct loop_block *l = &w->loop.v[w->order.v[i]];
		l->depth = (l->head == NO_BLOCK ? 0 : w->loop.v[l->head].depth) + l->is_head;
	}
}

uint32_t loop_of(const struct flow *w, uint32_t b)
{
	return w->loop.v[b].is_head ? b : w->loop.v[b].head;
}

bool in_loop(const struct flow *w, uint32_t h, uint32_t b)
{
	const struct loop_block *of = w->loop.v;
	uint32_t x = loop_of(w, b);
	while (x != NO_BLOCK && of[x].depth > of[h].depth)
		x = of[x].head;
	return x == h;
}

/* Frequencies ---------------------------------------------------------- */

/* An exit edge of a loop or of loops in it; a list. */
struct loop_exit {
	uint32_t to, next;
	float freq; /* for each entry to the loop */
};

struct spread {
	struct flow *w;
	struct loop_block *of;
	VEC(struct loop_exit) exit;
	float again;  /* how often a back edge is taken for each iteration */
	uint32_t *up; /* by block: a loop that has been run and contains it, or the block itself */
};

/*
 * The member of loop h that is block to or contains it; NO_BLOCK: to is not in h.  The loops in h
 * have been run, so up leads from to to the outermost of them.
 */
static uint32_t member_of(struct spread *s, uint32_t h, uint32_t to)
{
	uint32_t *up = s->up;
	while (up[to] != to)
		to = up[to] = up[up[to]];
	return s->of[to].head == h ? to : NO_BLOCK;
}

static void send(struct spread *s, uint32_t h, uint32_t to, float freq)
{
	if (to == h) {
		s->again += freq;
		return;
	}
	uint32_t m = member_of(s, h, to);
	if (m != NO_BLOCK) {
		s->of[m].in += freq;
		return;
	}
	vec_push(&s->exit, (struct loop_exit){to, s->of[h].exit, freq});
	s->of[h].exit = (uint32_t)s->exit.n - 1;
}

/* Distribute the frequency of block b over its successors in loop h. */
static void pass_on(struct spread *s, uint32_t h, uint32_t b)
{
	struct loop_block *l = &s->of[b];
	const struct flow *w = s->w;
	if (l->is_head && b != h) {
		l->freq = l->in * l->times;
		for (uint32_t x = l->exit; x != NO_BLOCK; x = s->exit.v[x].next)
			send(s, h, s->exit.v[x].to, l->in * s->exit.v[x].freq);
		return;
	}
	l->freq = b == h ? 1 : l->in;
	for (uint32_t i = 0; i <= w->block.v[b].nedge; i++) {
		uint32_t to = successor(w, b, i);
		if (to != NO_BLOCK)
			send(s, h, to,
				i == w->block.v[b].nedge
					? l->freq
					: l->freq * w->edge.v[w->block.v[b].edge + i].freq);
	}
}

static void run_loop(struct spread *s, uint32_t h)
{
	struct loop_block *l = &s->of[h];
	s->again = 0;
	pass_on(s, h, h);
	for (uint32_t b = l->member; b != NO_BLOCK; b = s->of[b].sibling)
		pass_on(s, h, b);
	for (uint32_t b = l->member; b != NO_BLOCK; b = s->of[b].sibling)
		s->up[b] = h;
	l->times = 1 / (1 - (s->again < MOST_AGAIN ? s->again : MOST_AGAIN));
	for (uint32_t x = l->exit; x != NO_BLOCK; x = s->exit.v[x].next)
		s->exit.v[x].freq *= l->times;
}

void flow_spread(struct flow *w)
{
	struct spread s = {.w = w, .of = w->loop.v, .up = w->work.v};
	for (uint32_t b = 0; b < w->block.n; b++)
		s.up[b] = b;
	for (size_t i = w->order.n; i-- > 0;) {
		struct loop_block *l = &s.of[w->order.v[i]];
		if (l->head != NO_BLOCK) {
			l->sibling = s.of[l->head].member;
			s.of[l->head].member = w->order.v[i];
		}
	}
	for (size_t i = w->order.n; i-- > 0;)
		if (s.of[w->order.v[i]].is_head)
			run_loop(&s, w->order.v[i]);
	for (size_t e = 0; e < w->edge.n && w->edge.v[e].kind == EDGE_IN; e++)
		send(&s, NO_BLOCK, w->edge.v[e].to - w->first, w->edge.v[e].freq);
	for (size_t i = 0; i < w->order.n; i++)
		if (s.of[w->order.v[i]].head == NO_BLOCK)
			pass_on(&s, NO_BLOCK, w->order.v[i]);
	for (size_t i = 0; i < w->order.n; i++) {
		uint32_t b = w->order.v[i];
		struct loop_block *l = &s.of[b];
		if (l->head != NO_BLOCK)
			l->freq *= s.of[l->head].freq;
		if (l->freq > MOST_OFTEN)
			l->freq = MOST_OFTEN;
		w->block.v[b].freq = l->freq;
	}
	vec_free(&s.exit);
}
