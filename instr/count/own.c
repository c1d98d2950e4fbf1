/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.c - edges that leave a function, return from a call or come by a jump table; see own.h
 */
#include "instr/count/own.h"

/* Does the block leave its function by its last instruction, and in no other way? */
static bool is_exit(const struct flow *w, const struct edge *e)
{
	if (e->kind != EDGE_OUT)
		return false;
	const struct flow_block *fb = &w->block.v[e->from - w->first];
	uint8_t end = w->g->block.v[e->from].end;
	if (end == END_BRANCH)
		return e->by == EDGE_TAKEN && w->edge.v[fb->edge].kind != EDGE_OUT;
	return fb->nedge == 1 && (end == END_RET || end == END_JUMP || end == END_LEAVE);
}

static bool is_return(const struct flow *w, const struct edge *e)
{
	return e->kind == EDGE_FALL && w->g->block.v[e->from].end == END_CALL &&
		!is_named_return(w->g, e->to);
}

/* Counts the edges into each block that come by tables or from outside, in work[]. */
static void find_entries(struct flow *w)
{
	for (size_t i = 0; i < w->work.n; i++)
		w->work.v[i] = 0;
	for (size_t e = 0; e < w->edge.n; e++)
		if (w->edge.v[e].to != NO_BLOCK &&
			(w->edge.v[e].kind == EDGE_TABLE || w->edge.v[e].kind == EDGE_IN))
			w->work.v[w->edge.v[e].to - w->first]++;
}

/* Does every entry of a table that leads there belong to the jump of this edge? */
static bool is_by_table(const struct flow *w, const struct edge *e)
{
	return e->kind == EDGE_TABLE && w->work.v[e->to - w->first] == 1 &&
		!w->g->block.v[e->to].entered;
}

void plan_own(const struct rewrite_options *opt, struct flow *w)
{
	const struct cfg *g = w->g;
	bool tables = opt->tables && !w->has_taken &&
		cfg_tables_bound(g, &g->func.v[g->block.v[w->first].func]);
	struct site s;
	if (tables)
		find_entries(w);
	for (size_t i = 0; i < w->edge.n; i++) {
		struct edge *e = &w->edge.v[i];
		e->own = (opt->exits && is_exit(w, e)) || (opt->after && is_return(w, e)) ||
			(tables && is_by_table(w, e));
		e->own = e->own && edge_site(g, e, &s);
	}
}
