/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halves.c - which high half of an address a low half belongs to, by data flow; see halves.h
 */
#include "cfg/halves.h"
#include "cfg/refs.h"
#include "cfg/values.h"

#include "reloc/fix.h"

#include <stdlib.h>

static bool is_of_code(const struct cfg *g, const struct reloc *r)
{
	return g->text_of[g->obj->sym.v[r->sym].sec];
}

static void set_page(struct reloc *low, int64_t page)
{
	low->addend += page;
	low->page = PAGE_KNOWN;
}

/* The value of its register has the page of a low half, if it is a high one. */
static void pair(const struct cfg *g, const struct section *sec, struct reloc *low,
	const struct state *s)
{
	const struct reloc_info *info = g->obj->reloc_info(low->type);
	struct value v = s->reg[reloc_half_reg(g->obj, info, sec->data + low->off)];
	const struct reloc *high = &sec->rel[v.what == HIGH ? v.n : 0];
	if (v.what != HIGH || high->sym != low->sym)
		return;
	bool same = high->addend == reloc_page(high) + low->addend;
	if (same || !is_of_code(g, low))
		set_page(low, reloc_page(high));
}

static bool look(void *ctx, const struct step_at *at, const struct state *s)
{
	const struct cfg *g = ctx;
	struct section *sec = at->v->t->sec;
	if (at->i == NO_INSN || !at->in->has_rel)
		return false;
	for (uint32_t k = section_first_reloc(sec, at->in->off);
		k < sec->nrel && sec->rel[k].off < insn_end(at->in); k++)
		if (sec->rel[k].page == PAGE_SOUGHT)
			pair(g, sec, &sec->rel[k], s);
	return false;
}

static bool enter(struct values *v, uint32_t b, bool reached, struct state *s)
{
	const struct block *bl = &v->g->block.v[b];
	uint64_t off = v->g->insn.v[bl->insn].off;
	uint32_t base = b == v->f->block ? ENTRY_FUNC : ENTRY_BLOCK + b - v->f->block;
	(void)reached;
	state_set(v, s, v->g->target->stack_reg, (struct value){FRAME, .base = base});
	return b == v->f->block || bl->entry || set_has(v->t->taken, off) ||
		set_has(v->t->pads, off);
}

/*
 * Compilers keep high halves on the stack too, and leave them there within a function only: are all
 * high halves in this one that have the low half of one page?
 */
static bool find_in_function(const struct cfg *g, const struct func *f, const struct reloc *low,
	int64_t *page)
{
	const struct section *sec = g->text.v[f->text].sec;
	bool found = false;
	for (uint32_t k = section_first_reloc(sec, f->start);
		k < sec->nrel && sec->rel[k].off < f->end; k++) {
		const struct reloc *r = &sec->rel[k];
		if (!g->obj->reloc_info(r->type)->high || r->sym != low->sym ||
			(uint16_t)r->addend != (uint16_t)low->addend)
			continue;
		if (found && *page != reloc_page(r))
			return false;
		found = true;
		*page = reloc_page(r);
	}
	return found;
}

static void pair_func(struct values *v, uint32_t f)
{
	struct state s;
	values_walk(v, f);
	for (uint32_t b = v->f->block; b < v->f->block + v->f->nblock; b++)
		if (values_at(v, b, &s))
			values_run(v, b, &s, look, (void *)v->g);
}

static void pair_section(struct values *v, const struct code_section *c)
{
	const struct cfg *g = v->g;
	const struct section *sec = c->sec;
	uint32_t i = c->insn, walked = NO_FUNC;
	for (uint32_t k = 0; k < sec->nrel; k++) {
		struct reloc *r = &sec->rel[k];
		if (r->page != PAGE_SOUGHT)
			continue;
		bool known = cfg_reloc_insn(g, c, r, &i) != NO_INSN;
		uint32_t f = known ? cfg_func_at(g, c, r->off) : NO_FUNC;
		int64_t page = 0;
		if (f != NO_FUNC && f != walked && g->func.v[f].nblock)
			pair_func(v, walked = f);
		if (r->page != PAGE_SOUGHT)
			continue;
		bool found = f != NO_FUNC && g->func.v[f].nblock &&
			find_in_function(g, &g->func.v[f], r, &page);
		if (!found && is_of_code(g, r))
			fatal_at(sec, r->off, "%s may belong to several high halves",
				g->obj->reloc_info(r->type)->name);
		if (found)
			set_page(r, page);
		else
			r->page = PAGE_NONE;
	}
}

void halves_pair(struct cfg *g)
{
	struct values v = {.g = g,
		.decoder = cfg_decoder(g, 0),
		.kinds = KIND(HIGH) | KIND(FRAME),
		.words = WORDS_OF_COMPILER,
		.enter = enter};
	for (size_t k = 0; k < g->text.n && g->obj->halves; k++)
		pair_section(&v, &g->text.v[k]);
	values_free(&v);
}
