/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - counters for the blocks and edges of whole functions; see count.h
 */
#include "instr/count/count.h"

#include "instr/count/choose.h"
#include "instr/count/own.h"
#include "instr/edges.h"
#include "instr/stubs.h"
#include "runtime/abi.h"

#include <stdlib.h>

/* Measured cost of each kind of counter, relative to a single instruction. */
static const float kind_cost[COUNT_KINDS] = {
	[COUNT_DIRECT] = 1, [COUNT_FLAGS] = 2.5f, [COUNT_SAVE] = 6};
#define SKIP_COST 1.0f /* a jump over inserted code */

/*
 * After so many instructions (about ten cycles of three, measured) an increment has completed, and
 * a short but slow increment of the same counter does not wait for it.
 */
#define SOON 30.0f

/* How often control enters block b by fall-through, or from outside. */
static float from_above(const struct flow *w, uint32_t b)
{
	float freq = w->g->block.v[b].entered ? 1 : 0;
	if (b == w->first)
		return 1;
	const struct flow_block *fb = &w->block.v[b - 1 - w->first];
	for (uint32_t e = fb->edge; e < fb->edge + fb->nedge; e++)
		if (w->edge.v[e].kind == EDGE_FALL)
			freq += w->edge.v[e].freq;
	return freq;
}

float skip_cost(const struct flow *w, uint32_t b)
{
	return stubs_need_skip(w->g, b) ? SKIP_COST * from_above(w, b) : 0;
}

bool edge_site(const struct cfg *g, const struct edge *e, struct site *s)
{
	struct place at;
	regset live;
	if (e->from == NO_BLOCK || ((e->kind == EDGE_OUT || e->kind == EDGE_TABLE) && !e->own))
		return false;
	if (edge_refused(g, edge_way(e), &at, &live))
		return false;
	*s = (struct site){.text = at.text,
		.off = at.off,
		.runs = at.runs,
		.kind = SITE_COUNT,
		.branch = at.branch,
		.dead = cfg_scratch(g, &g->func.v[g->block.v[e->from].func], live)};
	return true;
}

/* The cost of each increment for edge e; < 0: it cannot be counted. */
static float edge_cost(const struct plan *p, const struct flow *w, const struct edge *e)
{
	struct site s;
	if (!(e->critical || e->own) || !edge_site(p->g, e, &s))
		return -1;
	float cost = kind_cost[spot_cost(p, s.dead)];
	if (s.runs == RUNS_EDGE && e->freq > 0)
		cost += skip_cost(w, e->to) / e->freq;
	else if (s.runs == RUNS_LEAVE && e->freq > 0)
		cost += SKIP_COST * w->block.v[e->from - w->first].freq / e->freq;
	return cost;
}

/* Short code is slower: it is for counters that are incremented at most once a call. */
uint8_t flow_repeat(const struct flow *w, uint32_t from, uint32_t to, float freq)
{
	if (flow_apart(w, from, to, freq) <= SOON)
		return REPEAT_SOON;
	return freq <= 1 ? REPEAT_RARELY : REPEAT_LATER;
}

static void count_block(struct plan *p, const struct flow *w, uint32_t b, struct spot s)
{
	s.repeat = flow_repeat(w, b, b, w->block.v[b - w->first].freq);
	p->block_counter[b] = plan_counter(p, p->g->func.v[p->g->block.v[b].func].text, s);
}

void count_edge(struct plan *p, const struct flow *w, const struct edge *e, regset keep)
{
	struct site s;
	edge_site(p->g, e, &s);
	s.dead &= ~keep;
	s.arg = p->ncounters++;
	s.how = spot_cost(p, s.dead);
	s.repeat = flow_repeat(w, e->from, e->to == NO_BLOCK ? e->from : e->to, e->freq);
	vec_push(&p->site, s);
}

void plan_flow(struct plan *p, uint32_t fi, struct flow_planner *fp)
{
	struct flow *w = &fp->flow;
	uint32_t first = p->ncounters;
	size_t sites = p->site.n;
	flow_edges(w, fi);
	vec_reserve(&fp->spot, w->block.n);
	for (uint32_t b = 0; b < w->block.n; b++) {
		p->block_freq[w->first + b] = w->block.v[b].freq;
		if (p->g->block.v[w->first + b].gap)
			continue;
		fp->spot.v[b] = spot_in_block(p, &p->g->block.v[w->first + b], &fp->live);
		w->block.v[b].cost = kind_cost[fp->spot.v[b].how];
	}
	plan_own(p->opt, w);
	for (size_t e = 0; e < w->edge.n; e++)
		w->edge.v[e].cost = edge_cost(p, w, &w->edge.v[e]);
	if (!p->every)
		plan_hold_steps(p, fp);
	flow_choose(w,
		p->every				 ? CHOOSE_EVERY
			: p->opt->mode == LDX_MODE_EDGES ? CHOOSE_EDGES
							 : CHOOSE_BLOCKS);
	for (uint32_t b = 0; b < w->block.n; b++)
		if (!p->g->block.v[w->first + b].gap && w->block.v[b].state == COUNT_COUNTED)
			count_block(p, w, w->first + b, fp->spot.v[b]);
		else if (w->block.v[b].by_next)
			p->block_flags[w->first + b] |= LDX_BLOCK_NEXT;
	for (size_t i = 0; i < w->edge.n; i++) {
		const struct edge *e = &w->edge.v[i];
		uint32_t counter = p->ncounters;
		if (e->state == COUNT_COUNTED)
			count_edge(p, w, e, 0);
		vec_push(&p->edge,
			(struct plan_edge){.from = e->from,
				.to = e->to,
				.kind = e->kind,
				.state = e->state,
				.by_next = e->by_next,
				.counter = counter});
	}
	if (!p->every)
		plan_hold(p, fp, sites, first);
}

void plan_cover(struct plan *p, uint32_t fi, struct flow_planner *fp)
{
	struct flow *w = &fp->flow;
	flow_edges(w, fi);
	for (size_t e = 0; e < w->edge.n; e++)
		w->edge.v[e].cost = edge_cost(p, w, &w->edge.v[e]);
	flow_cover(w);
	for (uint32_t b = w->first; b < w->first + w->block.n; b++) {
		const struct flow_block *fb = &w->block.v[b - w->first];
		const struct block *bl = &p->g->block.v[b];
		if (fb->state == COUNT_COUNTED)
			count_block(p, w, b,
				fb->late ? spot_behind_faults(p, bl)
					 : spot_in_block(p, bl, &fp->live));
	}
	for (size_t i = 0; i < w->proof.n; i++)
		vec_push(&p->edge,
			(struct plan_edge){.from = w->proof.v[i].from,
				.to = w->proof.v[i].to,
				.kind = EDGE_TAKEN});
	for (size_t i = 0; i < w->edge.n; i++) {
		const struct edge *e = &w->edge.v[i];
		if (e->state != COUNT_COUNTED)
			continue;
		vec_push(&p->edge,
			(struct plan_edge){.from = e->from,
				.to = e->to,
				.kind = e->kind,
				.state = e->state,
				.counter = p->ncounters});
		count_edge(p, w, e, 0);
	}
}

void plan_flow_free(struct flow_planner *fp)
{
	flow_free(&fp->flow);
	vec_free(&fp->spot);
	vec_free(&fp->live);
	vec_free(&fp->hold);
	vec_free(&fp->next[0]);
	vec_free(&fp->next[1]);
	vec_free(&fp->counter);
	vec_free(&fp->step);
	vec_free(&fp->share);
	vec_free(&fp->along);
	vec_free(&fp->list);
	vec_free(&fp->base);
}
