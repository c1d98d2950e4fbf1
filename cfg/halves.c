/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halves.c - which high half of an address a low half belongs to, by data flow; see halves.h
 */
#include "cfg/halves.h"

#include "cfg/cfg_priv.h"
#include "reloc/fix.h"

#include <stdlib.h>

/* A page that no section has.  Nobody knows to which data such an address refers. */
#define NOWHERE (-(INT64_C(1) << 30))

/* The search for the definitions of register reg that reach low half low, whose page is not known.
 */
struct search {
	const struct cfg *g;
	const uint32_t *first, *pred; /* by block, CSR: the blocks that control comes from */
	const struct code_section *c;
	const struct func *f;
	const struct reloc *low;
	regset reg;
	int64_t page;	  /* of the high halves found */
	bool of_code;	  /* low is of an address of code */
	bool found, same; /* a high half; of the same address */
	uint32_t *seen;	  /* by block: the number of the last search that came to its end */
	uint32_t number;
	block_vec todo;
};

/* Takes the high half that insn in, which changes the register, puts there.  False: none fits. */
static bool take_high(struct search *s, const struct insn *in)
{
	const struct object *o = s->g->obj;
	uint32_t n;
	const struct reloc *r = insn_relocs(s->c, in, &n);
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	for (; n; n--, r++)
		if (o->reloc_info(r->type)->high && r->sym == s->low->sym &&
			REG_BIT(o->half_reg(s->c->sec->data + r->off, false)) == s->reg)
			break;
	if (!n || (call && s->reg & s->g->target->call_clobbers) ||
		(s->found && reloc_page(r) != s->page))
		return false;
	s->found = true;
	s->page = reloc_page(r);
	s->same |= r->addend == s->page - UNKNOWN_PAGE + s->low->addend;
	return true;
}

/*
 * Goes back from insn k of block b, not included.  False: a definition is not the high half.  Sets
 * *none if there is no definition.
 */
static bool go_back(struct search *s, uint32_t b, uint32_t k, bool *none)
{
	*none = false;
	while (k-- > s->g->block.v[b].insn) {
		const struct insn *in = &s->g->insn.v[k];
		bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND ||
			in->kind == INSN_SYSCALL;
		regset lost = insn_effects(in)->clobbers | (call ? s->g->target->call_clobbers : 0);
		if (lost & s->reg)
			return take_high(s, in);
	}
	*none = true;
	return true;
}

/* Queues the blocks in front of b.  False: control may come from elsewhere. */
static bool add_preds(struct search *s, uint32_t b)
{
	const struct block *bl = &s->g->block.v[b];
	uint32_t n = s->first[b + 1] - s->first[b];
	if (!n || bl->entry || b == s->f->block ||
		set_has(s->c->taken, s->g->insn.v[bl->insn].off) ||
		set_has(s->c->pads, s->g->insn.v[bl->insn].off))
		return false;
	for (uint32_t i = s->first[b]; i < s->first[b + 1]; i++) {
		uint32_t p = s->pred[i];
		if (s->seen[p] == s->number)
			continue;
		s->seen[p] = s->number;
		vec_push(&s->todo, p);
	}
	return true;
}

static bool find_high(struct search *s, uint32_t b, uint32_t insn)
{
	s->found = s->same = false;
	bool none, good = go_back(s, b, insn, &none);
	s->todo.n = 0;
	s->number++;
	if (good && none)
		good = add_preds(s, b);
	while (good && s->todo.n) {
		b = s->todo.v[--s->todo.n];
		const struct block *bl = &s->g->block.v[b];
		good = go_back(s, b, bl->insn + bl->ninsn, &none);
		if (good && none)
			good = add_preds(s, b);
	}
	return good && (s->same || (s->found && !s->of_code));
}

/*
 * Compilers keep high halves on the stack too, and leave them there within a function only: are all
 * high halves in this one that have the low half of one page?
 */
static bool find_in_function(struct search *s)
{
	const struct section *sec = s->c->sec;
	s->found = false;
	for (uint32_t k = section_first_reloc(sec, s->f->start);
		k < sec->nrel && sec->rel[k].off < s->f->end; k++) {
		const struct reloc *r = &sec->rel[k];
		if (!s->g->obj->reloc_info(r->type)->high || r->sym != s->low->sym ||
			(uint16_t)r->addend != (uint16_t)s->low->addend)
			continue;
		if (s->found && s->page != reloc_page(r))
			return false;
		s->found = true;
		s->page = reloc_page(r);
	}
	return s->found;
}

static uint32_t block_with(const struct search *s, uint32_t insn)
{
	uint32_t b, end = s->f->block + s->f->nblock;
	BISECT(b, s->f->block, end, s->g->block.v[b].insn <= insn);
	return b - 1;
}

static void pair_section(struct search *s)
{
	const struct cfg *g = s->g;
	const struct section *sec = s->c->sec;
	uint32_t i = s->c->insn;
	for (uint32_t k = 0; k < sec->nrel; k++) {
		struct reloc *r = &sec->rel[k];
		if (!reloc_is_ambiguous(r))
			continue;
		uint32_t in = cfg_reloc_insn(g, s->c, r, &i);
		uint32_t f = in == NO_INSN ? NO_FUNC : cfg_func_at(g, s->c, r->off);
		s->low = r;
		s->f = f == NO_FUNC ? NULL : &g->func.v[f];
		s->reg = REG_BIT(g->obj->half_reg(sec->data + r->off, true));
		s->of_code = g->text_of[g->obj->sym.v[r->sym].sec];
		bool found = s->f && s->f->nblock &&
			(find_high(s, block_with(s, in), in) || find_in_function(s));
		if (!found && s->of_code)
			fatal_at(sec, r->off, "%s may belong to several high halves",
				g->obj->reloc_info(r->type)->name);
		r->addend += (found ? s->page : NOWHERE) - UNKNOWN_PAGE;
	}
}

void halves_pair(struct cfg *g)
{
	struct search s = {.g = g};
	uint32_t *first, *pred;
	if (!g->obj->half_reg)
		return;
	find_preds(g, &first, &pred);
	s.first = first;
	s.pred = pred;
	s.seen = calloc(g->block.n + 1, sizeof *s.seen);
	if (!s.seen)
		fatal("out of memory");
	for (size_t k = 0; k < g->text.n; k++) {
		s.c = &g->text.v[k];
		pair_section(&s);
	}
	free(first);
	free(pred);
	free(s.seen);
	vec_free(&s.todo);
}
