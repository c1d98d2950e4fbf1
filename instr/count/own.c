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

void plan_own(const struct rewrite_options *opt, struct flow *w)
{
	struct site s;
	for (size_t i = 0; i < w->edge.n; i++) {
		struct edge *e = &w->edge.v[i];
		e->own = (opt->exits && is_exit(w, e)) || (opt->after && is_return(w, e)) ||
			(opt->tables && e->kind == EDGE_TABLE);
		e->own = e->own && edge_site(w->g, e, &s);
	}
}
