/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invariants.c - checks behind passes; see invariants.h
 */
#include "instr/invariants.h"

#include "instr/layout.h"

/* Arguments for "(%s+0x%llx)". */
#define PLACE(s, off) (s)->name, (unsigned long long)(off)

/* Blocks are sorted by instruction, not empty, and do not overlap. */
static void check_blocks(const struct cfg *g, const struct code_section *t)
{
	uint32_t next = t->insn;
	for (uint32_t b = t->block; b < t->block + t->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->insn < next || !bl->ninsn)
			bug("(%s+0x%llx): a block overlaps the one before it",
				PLACE(t->sec, g->insn.v[bl->insn].off));
		next = bl->insn + bl->ninsn;
	}
	if (next > t->insn + t->ninsn)
		bug("(%s): blocks have more instructions than there are", t->sec->name);
}

void check_analysis(const struct cfg *g)
{
	for (uint32_t i = 0; i < g->text.n; i++) {
		check_blocks(g, &g->text.v[i]);
		if (g->text.v[i].sec->rewritten)
			bug("(%s): changed by the analysis", g->text.v[i].sec->name);
	}
}

static void check_insertions(const struct cfg *g, const struct insertions *in)
{
	for (size_t i = 0; i < in->v.n; i++) {
		const struct insertion *s = &in->v.v[i], *last = i ? s - 1 : s;
		const struct code_section *t = &g->text.v[s->text];
		if (last->text > s->text || (last->text == s->text && last->off > s->off))
			bug("(%s+0x%llx): insertions are not sorted", PLACE(t->sec, s->off));
		uint32_t f = cfg_func_at(g, t, s->off);
		bool held = f != NO_FUNC && g->func.v[f].lump &&
			(g->func.v[f].tied || s->off > g->func.v[f].start || s->runs != RUNS_FALL);
		if (held || (s->off < t->sec->size && !set_has(t->starts, s->off)))
			bug("(%s+0x%llx): code is inserted where none can be",
				PLACE(t->sec, s->off));
	}
}

static void check_numbers(const struct plan *p, const site_vec *v)
{
	for (const struct site *s = v->v; s < v->v + v->n; s++)
		if (s->arg >= p->ncounters)
			bug("(%s+0x%llx): counter %u of %u",
				PLACE(p->g->text.v[s->text].sec, s->off), s->arg, p->ncounters);
}

void check_plan(const struct plan *p)
{
	for (size_t k = 0; p->inserted && k + 1 < p->g->part.n; k++) {
		check_insertions(p->g, &p->inserted[k]);
		check_numbers(p, &p->sites[k]);
	}
}

void check_layout(const struct plan *p, const struct layout *lay)
{
	const struct cfg *g = p->g;
	for (uint32_t i = 0; i < g->text.n; i++) {
		const struct code_section *t = &g->text.v[i];
		const struct addrmap *m = t->sec->map;
		size_t at_cursor = 0, branch_cursor = 0;
		if (m != &lay[i].map)
			bug("(%s): no layout", t->sec->name);
		for (uint32_t b = t->block; b < t->block + t->nblock; b++) {
			uint64_t off = g->insn.v[g->block.v[b].insn].off;
			uint64_t at = map_addr_seq(m, &at_cursor, off, REF_EXACT);
			if (at > m->new_size ||
				map_addr_seq(m, &branch_cursor, off, REF_BRANCH) > at)
				bug("(%s+0x%llx): out of place", PLACE(t->sec, off));
		}
	}
}

void check_code(const struct plan *p, const struct layout *lay)
{
	const struct cfg *g = p->g;
	for (uint32_t i = 0; i < g->text.n; i++) {
		const struct section *s = g->text.v[i].sec;
		if (s->rewritten ? s->out_size != lay[i].map.new_size : lay[i].map.n != 0)
			bug("(%s): not as long as it was laid out", s->name);
	}
}
