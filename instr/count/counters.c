/* SPDX-License-Identifier: Apache-2.0 */
/* counters.c - one counter at a block or an edge, and what it costs */
#include "cfg/liveness.h"
#include "instr/count/choose.h"
#include "instr/count/count.h"
#include "instr/edges.h"
#include "instr/stubs.h"

const float kind_cost[COUNT_KINDS] = {[COUNT_DIRECT] = 1, [COUNT_FLAGS] = 2.5f, [COUNT_SAVE] = 6};
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

/* A number that grows with a frequency: the upper half of its bits. */
static uint16_t often(float freq)
{
	uint32_t bits;
	memcpy(&bits, &freq, sizeof bits);
	return (uint16_t)(bits >> 16);
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
		.often = often(e->freq),
		.dead = cfg_scratch(g, &g->func.v[g->block.v[e->from].func], live)};
	return true;
}

float edge_cost(const struct plan *p, const struct flow *w, const struct edge *e)
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

void count_block(struct plan *p, const struct flow *w, uint32_t b, struct spot s)
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

uint32_t plan_counter(struct plan *p, uint32_t text, struct spot s)
{
	vec_push(&p->site,
		(struct site){.text = text,
			.off = s.off,
			.runs = s.runs,
			.kind = SITE_COUNT,
			.how = s.how,
			.repeat = s.repeat,
			.arg = p->ncounters,
			.dead = s.dead});
	return ++p->ncounters;
}
