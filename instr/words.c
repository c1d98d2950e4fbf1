/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - new tables of words for jump tables of scaled distances; see words.h
 */
#include "instr/words.h"

#include "cfg/scaled.h"

#include <stdlib.h>

enum { WORD = 4, NOT_MADE = -1 };

static bool is_kept(const struct cfg *g, const struct scaled_table *t)
{
	const struct code_section *c = &g->text.v[t->text];
	uint32_t f = cfg_func_at(g, c, g->insn.v[t->insn[SCALED_JUMP]].off);
	return !t->proved || g->func.v[f].why != OPAQUE_NOT;
}

/* Append the entries of t in the new layout.  False: they are the old ones. */
static bool put_entries(struct words *w, const struct plan *p, const struct layout *l,
	const struct scaled_table *t)
{
	uint64_t base = layout_target(p, l, t->insn[SCALED_ANCHOR], t->base);
	bool moved = false;
	for (uint32_t k = 0; k < t->n; k++) {
		uint64_t label = scaled_label(p->g, t, k);
		uint64_t to = layout_entry(l, t->insn[SCALED_JUMP], label);
		int64_t distance = (int64_t)(to - base);
		uint8_t word[WORD];
		put_u32(word, (uint32_t)(distance / t->scale));
		for (int b = 0; b < WORD; b++)
			vec_push(&w->bytes, word[b]);
		moved |= distance != (int64_t)(label - t->base);
	}
	return moved;
}

static void add_ref(struct words *w, uint32_t insn, int64_t at)
{
	vec_push(&w->ref, ((struct words_ref){insn, at}));
}

static int ref_cmp(const void *a, const void *b)
{
	const struct words_ref *x = a, *y = b;
	return x->insn != y->insn ? (x->insn < y->insn ? -1 : 1)
				  : (x->addend > y->addend) - (x->addend < y->addend);
}

typedef VEC(struct words_ref) page_vec;

/* All such instructions; none has a new table yet. */
static void find_pages(const struct cfg *g, page_vec *page)
{
	for (size_t k = 0; k < g->scaled.n; k++)
		vec_push(page, ((struct words_ref){scaled_maker(&g->scaled.v[k]), NOT_MADE}));
	if (page->n)
		sort(page->v, page->n, sizeof *page->v, ref_cmp);
}

/* Where the new table is that scaled_maker(t) refers to; NOT_MADE: nowhere yet. */
static int64_t *made_at(const page_vec *page, const struct scaled_table *t)
{
	size_t k;
	BISECT(k, 0, page->n, page->v[k].insn < scaled_maker(t));
	return &page->v[k].addend;
}

/* Does the load of t, in the new layout, make the address of its table? */
static bool is_own(const struct cfg *g, const struct layout *l, const struct scaled_table *t)
{
	unsigned len = WORD;
	map_insn(&l->map, g->insn.v[t->insn[SCALED_LOAD]].off, &len);
	return len == g->target->words->own_len;
}

/* Make a new table for t, unless its distances stay or another jump by t has made one. */
static void make_table(struct words *w, const struct plan *p, const struct layout *l,
	const struct scaled_table *t, int64_t *made)
{
	size_t at = w->bytes.n;
	bool own = is_own(p->g, l, t);
	if (*made == NOT_MADE && !put_entries(w, p, l, t) && !own) {
		w->bytes.n = at;
		return;
	}
	bool first = *made == NOT_MADE;
	if (first)
		*made = (int64_t)at;
	vec_push(&w->used, ((struct words_use){t, *made, first}));
	if (own)
		return;
	add_ref(w, t->insn[SCALED_PAGE], *made);
	add_ref(w, t->insn[SCALED_NAME], *made);
}

struct words *words_make(const struct plan *p, const struct layout *lay)
{
	struct words *w = arena_new(p->g->arena, struct words);
	struct symbol s = {.name = "__ldx_tables",
		.sec = SEC_UNDEF,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
		.other = STV_HIDDEN};
	page_vec page = {0};
	find_pages(p->g, &page);
	for (size_t k = 0; k < p->g->scaled.n; k++) {
		const struct scaled_table *t = &p->g->scaled.v[k];
		if (!is_kept(p->g, t))
			make_table(w, p, &lay[t->text], t, made_at(&page, t));
	}
	vec_free(&page);
	if (w->ref.n)
		sort(w->ref.v, w->ref.n, sizeof *w->ref.v, ref_cmp);
	if (w->used.n)
		w->sym = object_add_symbol(p->g->obj, &s);
	return w;
}

const struct words_ref *words_of(const struct words *w, uint32_t i)
{
	size_t k;
	BISECT(k, 0, w->ref.n, w->ref.v[k].insn < i);
	return k < w->ref.n && w->ref.v[k].insn == i ? &w->ref.v[k] : NULL;
}

/* Make the load of u, and its relocations unless another jump has the same load. */
static void read_own(const struct words *w, const struct cfg *g, uint8_t *out, uint64_t load,
	const struct words_use *u, words_reloc_fn *reloc, void *ctx)
{
	uint32_t types[2];
	g->target->words->read_own(out + load, (unsigned)u->table->own, types);
	for (unsigned k = 0; k < 2 && u->first; k++)
		reloc(ctx,
			(struct reloc){.off = load + (uint64_t)k * WORD,
				.addend = u->at,
				.type = types[k],
				.sym = w->sym});
}

void words_read(const struct words *w, const struct cfg *g, const struct code_section *t,
	const struct layout *l, uint8_t *out, words_reloc_fn *reloc, void *ctx)
{
	size_t k;
	BISECT(k, 0, w->used.n, w->used.v[k].table->insn[SCALED_JUMP] < t->insn);
	for (; k < w->used.n && w->used.v[k].table->insn[SCALED_JUMP] < t->insn + t->ninsn; k++) {
		const uint32_t *insn = w->used.v[k].table->insn;
		const struct insn *old = &g->insn.v[insn[SCALED_LOAD]];
		unsigned len = WORD, same = WORD;
		uint64_t load = map_insn(&l->map, old->off, &len),
			 sum = map_insn(&l->map, g->insn.v[insn[SCALED_SUM]].off, &same);
		memcpy(out + load, insn_bytes(t, old), WORD);
		g->target->words->read_words(out + load, out + sum);
		if (len == g->target->words->own_len)
			read_own(w, g, out, load, &w->used.v[k], reloc, ctx);
	}
}

void words_write(struct words *w, struct object *o)
{
	struct section s = {.name = ".rodata.ldx",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC,
		.align = WORD,
		.size = w->bytes.n};
	if (w->bytes.n) {
		uint8_t *data = arena_array(o->arena, uint8_t, w->bytes.n);
		memcpy(data, w->bytes.v, w->bytes.n);
		s.data = data;
		uint32_t sec = object_add_section(o, &s);
		o->sym.v[w->sym].sec = sec;
	}
	vec_free(&w->bytes);
	vec_free(&w->ref);
	vec_free(&w->used);
}
