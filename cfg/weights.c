/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weights.c - how often blocks and edges may run
 *
 * Only good enough to choose cheap places for counters: a loop goes on, a branch
 * out of it is rare, what ends the program is rarer (the strongest heuristics of
 * Wu and Larus, "Static branch frequency and program profile analysis", 1994).
 * Loops are told by the addresses: a branch backwards closes one.
 */
#include "cfg/cfg.h"

#include "cfg/cfg_priv.h"

enum { SWEEPS = 12 };
#define STAYS 0.88f
#define RARE 0.02f

/* How many loops a block is in: work[b]. */
static void loop_depth(struct flow *w)
{
	uint32_t n = (uint32_t)w->block.n;
	vec_reserve(&w->work, 2 * (size_t)n + 2);
	uint32_t *depth = w->work.v, *last = depth + n; /* last: of the loop that begins there */
	memset(depth, 0, n * sizeof *depth);
	for (uint32_t b = 0; b < n; b++)
		last[b] = UINT32_MAX;
	for (size_t e = 0; e < w->edge.n; e++) {
		const struct edge *ed = &w->edge.v[e];
		if (ed->from != NO_BLOCK && ed->to != NO_BLOCK && ed->to <= ed->from) {
			uint32_t head = ed->to - w->first, tail = ed->from - w->first;
			if (last[head] == UINT32_MAX || last[head] < tail)
				last[head] = tail;
		}
	}
	/* differences first: +1 where a loop begins, -1 behind its end */
	for (uint32_t b = 0; b < n; b++) {
		if (last[b] == UINT32_MAX)
			continue;
		depth[b]++;
		if (last[b] + 1 < n)
			depth[last[b] + 1]--;
	}
	for (uint32_t b = 1; b < n; b++)
		depth[b] += depth[b - 1];
}

/* Does control end at block b, but for a return? */
static bool is_end(const struct flow *w, uint32_t b)
{
	const struct block *bl = &w->g->block.v[b];
	return bl->end == END_TRAP || (bl->end == END_CALL && bl->fall == NO_BLOCK);
}

static bool goes_back(const struct edge *e)
{
	return e->to != NO_BLOCK && e->to <= e->from;
}

/* The probability that the first of the two edges is taken. */
static float first_of(const struct flow *w, const struct edge *a, const struct edge *b)
{
	const uint32_t *depth = w->work.v;
	uint32_t da = a->to == NO_BLOCK ? 0 : depth[a->to - w->first];
	uint32_t db = b->to == NO_BLOCK ? 0 : depth[b->to - w->first];
	uint32_t here = depth[a->from - w->first];
	bool ea = a->to != NO_BLOCK && is_end(w, a->to), eb = b->to != NO_BLOCK && is_end(w, b->to);
	if (ea != eb)
		return ea ? RARE : 1 - RARE;
	if (goes_back(a) != goes_back(b))
		return goes_back(a) ? STAYS : 1 - STAYS;
	if ((da < here) != (db < here))
		return da < here ? 1 - STAYS : STAYS;
	return 0.5f;
}

static void spread(struct flow *w, uint32_t b)
{
	const struct flow_block *fb = &w->block.v[b];
	struct edge *e = w->edge.v + fb->edge;
	if (fb->nedge == 2) {
		float p = first_of(w, &e[0], &e[1]);
		e[0].freq = fb->freq * p;
		e[1].freq = fb->freq * (1 - p);
		return;
	}
	for (uint32_t i = 0; i < fb->nedge; i++)
		e[i].freq = fb->freq / (float)fb->nedge;
}

/* What may return to behind the block, but is no edge. */
static bool comes_back(const struct flow *w, uint32_t b)
{
	const struct block *bl = &w->g->block.v[w->first + b];
	const struct flow_block *fb = &w->block.v[b];
	return bl->fall == w->first + b + 1 && b + 1 < w->block.n && fb->nedge == 1 &&
	       (bl->end == END_CALL || bl->end == END_SYSCALL) &&
	       w->edge.v[fb->edge].kind == EDGE_OUT;
}

/* How often edges from outside lead to blocks. */
static void flow_in(struct flow *w, float *in)
{
	for (uint32_t b = 0; b < w->block.n; b++)
		in[b] = 0;
	for (size_t e = 0; e < w->edge.n && w->edge.v[e].kind == EDGE_IN; e++) {
		struct edge *ed = &w->edge.v[e];
		uint32_t b = ed->to - w->first;
		ed->freq = b == 0 ? 1 : !comes_back(w, b - 1) ? 0.05f : 0;
		in[b] = ed->freq;
		if (b && comes_back(w, b - 1))
			ed->freq += w->block.v[b - 1].freq;
	}
}

void flow_weights(struct flow *w)
{
	loop_depth(w);
	float *in = (float *)(w->work.v + w->block.n);
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		flow_in(w, in);
		for (size_t e = 0; e < w->edge.n; e++)
			if (w->edge.v[e].from != NO_BLOCK && goes_back(&w->edge.v[e]))
				in[w->edge.v[e].to - w->first] += w->edge.v[e].freq;
		for (uint32_t b = 0; b < w->block.n; b++) {
			const struct flow_block *fb = &w->block.v[b];
			w->block.v[b].freq = in[b];
			spread(w, b);
			if (comes_back(w, b))
				in[b + 1] += in[b];
			for (uint32_t i = fb->edge; i < fb->edge + fb->nedge; i++) {
				const struct edge *ed = &w->edge.v[i];
				if (ed->to != NO_BLOCK && ed->to > ed->from)
					in[ed->to - w->first] += ed->freq;
			}
		}
	}
	flow_in(w, in);
}
