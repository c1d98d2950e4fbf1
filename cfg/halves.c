/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halves.c - which high half of an address a low half belongs to, by data flow; see halves.h
 */
#include "cfg/halves.h"
#include "cfg/refs.h"
#include "cfg/values.h"

#include "reloc/fix.h"
#include "targets/stated.h"

#include <stdlib.h>

static bool is_of_code(const struct cfg *g, const struct reloc *r)
{
	return g->text_of[g->obj->sym.v[r->sym].sec];
}

/* Stating ----------------------------------------------------------------- */

/* The registers to which instruction in adds a low half for which a fact is needed. */
static regset low_regs(const struct cfg *g, const struct code_section *t, const struct insn *in)
{
	const struct section *sec = t->sec;
	regset set = 0;
	uint32_t n;
	for (const struct reloc *r = insn_relocs(t, in, &n); n; n--, r++) {
		const struct reloc_info *info = g->obj->reloc_info(r->type);
		bool needed = info->low && info->reg_bit &&
			(r->page == PAGE_SOUGHT || is_of_code(g, r));
		set |= needed ? REG_BIT(reloc_half_reg(g->obj, info, sec->data + r->off)) : 0;
	}
	return set;
}

static regset high_regs(const struct cfg *g, const struct code_section *t, const struct insn *in)
{
	regset set = 0;
	uint32_t n;
	for (const struct reloc *r = insn_relocs(t, in, &n); n; n--, r++) {
		const struct reloc_info *info = g->obj->reloc_info(r->type);
		if (info->high)
			set |= REG_BIT(reloc_half_reg(g->obj, info, t->sec->data + r->off));
	}
	return set;
}

/* Is there a low half in the function whose high half is not in front of it in its block? */
static bool has_low_alone(const struct values *v)
{
	for (uint32_t b = v->f->block; b < v->f->block + v->f->nblock; b++) {
		const struct block *bl = &v->g->block.v[b];
		regset high = 0;
		for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
			const struct insn *in = &v->g->insn.v[i];
			if (!in->has_rel)
				continue;
			if (low_regs(v->g, v->t, in) & ~high)
				return true;
			high |= high_regs(v->g, v->t, in);
		}
	}
	return false;
}

static regset asks(const struct values *v, uint32_t b, uint32_t i)
{
	const struct insn *in = &v->g->insn.v[i];
	(void)b;
	return in->has_rel ? low_regs(v->g, v->t, in) : 0;
}

/* Is it a high half, and not an entry of the GOT with the whole of an address? */
static bool is_high(const struct cfg *g, struct value v, const struct section *sec)
{
	const struct reloc *r = &sec->rel[v.what == HIGH ? v.n : 0];
	return v.what == HIGH &&
		(!g->obj->reloc_info(r->type)->entry ||
			symbol_bind(&g->obj->sym.v[r->sym]) == STB_LOCAL);
}

static void state_block(const struct values *v, uint32_t b)
{
	const struct section *sec = v->t->sec;
	struct state s;
	regset some = asked_at(v, b);
	if (v->g->block.v[b].gap || !some || !values_at(v, b, &s))
		return;
	for (some &= s.known; some; some &= some - 1) {
		int reg = (int)lowest_reg(some);
		if (is_high(v->g, s.reg[reg], sec))
			vec_push(&v->g->stated->held,
				((struct held_at){.sec = (uint32_t)sec->index,
					.off = (uint32_t)v->g->insn.v[v->g->block.v[b].insn].off,
					.n = (uint32_t)sec->rel[s.reg[reg].n].off,
					.place = (int16_t)reg,
					.holds = HOLDS_HIGH}));
	}
}

/* Control may come to a block otherwise than by branches: then nothing is known there. */
static bool enter_unknown(struct values *v, uint32_t b, bool reached, struct state *s)
{
	const struct block *bl = &v->g->block.v[b];
	(void)reached;
	(void)s;
	return b == v->f->block || bl->entered || set_has(v->t->taken, v->g->insn.v[bl->insn].off);
}

/* What registers hold where a block begins, of the high halves that low ones belong to. */
static void state_highs(struct cfg *g)
{
	struct values v = {.g = g,
		.decoder = cfg_decoder(g, 0),
		.kinds = KIND(HIGH),
		.asks = asks,
		.enter = enter_unknown};
	for (size_t f = 0; f < g->func.n; f++) {
		v.f = &g->func.v[f];
		v.t = &g->text.v[v.f->text];
		if (!v.f->nblock || !v.t->sec->nrel || !has_low_alone(&v))
			continue;
		values_walk(&v, (uint32_t)f);
		for (uint32_t b = v.f->block; b < v.f->block + v.f->nblock; b++)
			state_block(&v, b);
	}
	values_free(&v);
}

/* Pairing ----------------------------------------------------------------- */

static void set_page(const struct cfg *g, const struct section *sec, struct reloc *low,
	const struct reloc *high)
{
	low->addend += reloc_page(high);
	low->page = PAGE_KNOWN;
	if (g->stated)
		vec_push(&g->stated->half,
			((struct half_at){(uint32_t)sec->index, (uint32_t)low->off,
				(uint32_t)high->off}));
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
		set_page(g, sec, low, high);
}

static bool look(void *ctx, const struct step_at *at, const struct state *s)
{
	const struct cfg *g = ctx;
	struct section *sec = at->v->t->sec;
	if (!at->in->has_rel)
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
static const struct reloc *find_in_function(const struct cfg *g, const struct func *f,
	const struct reloc *low)
{
	const struct section *sec = g->text.v[f->text].sec;
	const struct reloc *found = NULL;
	for (uint32_t k = section_first_reloc(sec, f->start);
		k < sec->nrel && sec->rel[k].off < f->end; k++) {
		const struct reloc *r = &sec->rel[k];
		if (!g->obj->reloc_info(r->type)->high || r->sym != low->sym ||
			(uint16_t)r->addend != (uint16_t)low->addend)
			continue;
		if (found && reloc_page(found) != reloc_page(r))
			return NULL;
		found = r;
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
		if (f != NO_FUNC && f != walked && g->func.v[f].nblock)
			pair_func(v, walked = f);
		if (r->page != PAGE_SOUGHT)
			continue;
		const struct reloc *found = f != NO_FUNC && g->func.v[f].nblock
			? find_in_function(g, &g->func.v[f], r)
			: NULL;
		if (!found && is_of_code(g, r))
			fatal_at(sec, r->off, "%s may belong to several high halves",
				g->obj->reloc_info(r->type)->name);
		if (found)
			set_page(g, sec, r, found);
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
	if (g->stated)
		g->stated->held.n = 0;
	if (g->stated && g->obj->halves)
		state_highs(g);
	for (size_t k = 0; k < g->text.n && g->obj->halves; k++)
		pair_section(&v, &g->text.v[k]);
	values_free(&v);
}
