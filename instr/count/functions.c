/* SPDX-License-Identifier: Apache-2.0 */
/* functions.c - what is counted in each function; see count.h */
#include "cfg/refs.h"
#include "instr/count/count.h"
#include "instr/count/threads.h"

#include "runtime/abi.h"

#include <stdlib.h>

/* Does f take its own address?  It may add distances that a counter in front makes wrong. */
static bool names_itself(const struct cfg *g, const struct func *f)
{
	const struct code_section *t = &g->text.v[f->text];
	const struct section *s = t->sec;
	struct ref r;
	for (uint32_t i = cfg_insn_at(g, t, f->start);
		i < t->insn + t->ninsn && g->insn.v[i].off < f->end; i++)
		if ((g->insn.v[i].flags & INSN_OPERAND_PC) && cfg_ref(g, t, i, &r) &&
			r.sec == s->index && r.off == f->start)
			return true;
	for (uint32_t k = section_first_reloc(s, f->start); k < s->nrel && s->rel[k].off < f->end;
		k++) {
		r = cfg_word_ref(g, &s->rel[k], NULL);
		if (r.role == ROLE_ABS && r.sec == s->index && r.off == f->start)
			return true;
	}
	return false;
}

bool entry_is_safe(const struct cfg *g, const struct func *f)
{
	if (f->lump || f->start_named || !is_function_symbol(g, f) || f->falls_in || !f->nblock ||
		g->insn.v[g->block.v[f->block].insn].off != f->start || names_itself(g, f))
		return false;
	return f->why == OPAQUE_JUMP || f->why == OPAQUE_TABLE || f->why == OPAQUE_REFERENCE;
}

static void count_entry(struct plan *p, uint32_t fi)
{
	const struct cfg *g = p->g;
	const struct func *f = &g->func.v[fi];
	const struct insn *in = &g->insn.v[g->block.v[f->block].insn];
	if (f->why != OPAQUE_NOT) {
		struct site s = {.text = f->text, .off = (uint32_t)f->start, .runs = RUNS_ENTRY};
		bool landing = in->flags & INSN_LANDING, checked = is_checked(p, f->block);
		/* the check would be inserted in front of the landing */
		if (!entry_is_safe(g, f) || (landing && (checked || !g->target->micro->landing)))
			return;
		if (checked)
			plan_check(p, f->text,
				(struct spot){.off = s.off,
					.runs = f->replaced ? RUNS_REPLACED : s.runs});
		s.kind = landing ? SITE_ENTRY : SITE_COUNT;
		s.how = spot_cost(p, 0);
		s.arg = p->ncounters;
		vec_push(&p->site, s);
		p->func_counter[fi] = ++p->ncounters;
		return;
	}
	struct spot s = spot_at_entry(p, f);
	p->func_counter[fi] = plan_counter(p, f->text, s);
}

/*
 * Do the counts give the number of calls?  Where other edges lead to the start, it would be the
 * first block's count minus theirs: too small when a frame stays before one of these.
 */
static bool calls_known(const struct flow *w)
{
	for (size_t e = 1; e < w->edge.n; e++)
		if (w->edge.v[e].to == w->first)
			return false;
	return w->edge.n && w->edge.v[0].kind == EDGE_IN && w->edge.v[0].to == w->first;
}

static void count_blocks(struct plan *p, uint32_t fi, struct flow_planner *fp)
{
	const struct func *f = &p->g->func.v[fi];
	if (!p->flows) {
		for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
			const struct block *bl = &p->g->block.v[b];
			if (!bl->gap)
				p->block_counter[b] =
					plan_counter(p, f->text, spot_in_block(p, bl, &fp->live));
		}
		if (p->opt->mode != LDX_MODE_COVER && loops_to_start(p->g, fi))
			count_entry(p, fi);
		return;
	}
	if (p->opt->mode == LDX_MODE_COVER) {
		plan_cover(p, fi, fp);
		return;
	}
	plan_flow(p, fi, fp);
	if (!calls_known(&fp->flow))
		count_entry(p, fi);
}

static void plan_func(struct plan *p, uint32_t fi, struct flow_planner *fp)
{
	const struct func *f = &p->g->func.v[fi];
	p->func_edge[fi] = (uint32_t)p->edge.n;
	if (!f->is_code || !f->nblock)
		return;
	if (p->checked)
		check_threads(p, fi);
	if (p->opt->mode == LDX_MODE_FUNCTIONS || f->why != OPAQUE_NOT)
		count_entry(p, fi);
	else
		count_blocks(p, fi, fp);
}

void plan_counters(struct plan *p, uint32_t first, uint32_t end, struct flow_planner *fp)
{
	const enum counter_access access = p->addressing.access;
	for (uint32_t f = first; f < end; f++) {
		size_t sites = p->site.n;
		p->func_first[f] = p->ncounters;
		if (p->selected && !p->selected[f]) {
			p->func_edge[f] = (uint32_t)p->edge.n;
			continue;
		}
		bool plain = p->reentered && !p->reentered[f];
		p->addressing.access = plain ? ACCESS_PLAIN : access;
		plan_func(p, f, fp);
		for (; sites < p->site.n; sites++)
			p->site.v[sites].plain = plain;
	}
	p->addressing.access = access;
}
