/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - counters for the blocks and edges of whole functions; see count.h
 */
#include "instr/count/count.h"

#include "instr/count/called.h"
#include "instr/count/choose.h"
#include "instr/count/own.h"
#include "runtime/abi.h"

#include <stdlib.h>

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
		w->block.v[b].own = called_counts(p->called, w->first + b);
		w->block.v[b].cost = kind_cost[fp->spot.v[b].how];
	}
	plan_own(p->opt, w);
	if (w->edge.n && w->edge.v[0].kind == EDGE_IN && w->edge.v[0].to == w->first)
		w->edge.v[0].known = called_sites(p->called, fi);
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
				.known = e->known,
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
	vec_free(&fp->old);
}
