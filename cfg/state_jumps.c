/* SPDX-License-Identifier: Apache-2.0 */
/* state_jumps.c - by which tables of words jumps lead, and how, as facts that the verifier checks
 */
#include "cfg/origins.h"
#include "cfg/tables.h"

#include <stdlib.h>

/*
 * What the verifier may know of the origin, which is h->holds of table h->n, or of some table.
 * False: nothing.
 */
static bool state_origin(struct value v, struct held_at *h)
{
	unsigned x = origins_of_term(v, 1), y = origins_of_term(v, 2);
	bool word = (x | y) & FROM_WORD, known = v.base != NO_TABLE;
	h->n = known ? v.base : ANY_TABLE;
	if (v.what != ORIGIN)
		return false;
	switch (origins(v)) {
	case FROM_TABLE:
	case FROM_POINTERS: h->holds = HOLDS_TABLE; return known;
	case FROM_WORD: h->holds = HOLDS_WORD; return true;
	case FROM_ENTRY: h->holds = HOLDS_TARGET; return known;
	case FROM_TARGET: h->holds = HOLDS_TARGET; return true;
	case FROM_SUM: h->holds = word ? HOLDS_TARGET : HOLDS_ENTRY; return word || known;
	default: return false;
	}
}

/* May control come to block b otherwise than the walk knows? */
static bool is_led(const struct values *v, uint64_t off)
{
	const struct code_section *t = v->t;
	return set_has(t->pads, off) || set_has(t->taken, off) || set_has(t->entries, off);
}

/* Does no path that is known lead there? */
static bool is_unreached(const struct state *s, regset some)
{
	bool all = some;
	for (; some && all; some &= some - 1)
		all = is_from_nowhere(s->reg[lowest_reg(some)]);
	return all;
}

/* What registers and words hold at the start of block b. */
static void state_block(const struct values *v, uint32_t b, held_at_vec *held)
{
	const struct target *t = v->g->target;
	uint64_t off = v->g->insn.v[v->g->block.v[b].insn].off;
	struct state s;
	if (!values_at(v, b, &s))
		return;
	struct held_at h = {.sec = v->t->sec->index, .off = (uint32_t)off};
	regset some = s.known & asked_at(v, b) & ~REG_BIT(t->stack_reg);
	if (is_unreached(&s, some) && !is_led(v, off)) {
		h.holds = HOLDS_NOTHING;
		vec_push(held, h);
	}
	for (; some; some &= some - 1) {
		h.place = (int16_t)lowest_reg(some);
		if (state_origin(s.reg[h.place], &h) && h.n != ANY_TABLE)
			vec_push(held, h);
	}
	struct value sp = s.reg[t->stack_reg];
	for (unsigned i = 0; i < s.nslot && sp.what == FRAME && sp.base == s.base; i++) {
		int64_t at = s.slot[i].off - sp.n;
		h.place = (int16_t)(FRAME_WORDS + at / t->word);
		if (at >= 0 && at % t->word == 0 && at / t->word < INT16_MAX - FRAME_WORDS &&
			state_origin(s.slot[i].value, &h) && h.n != ANY_TABLE)
			vec_push(held, h);
	}
}

/* Is it a sum that is made elsewhere than in the block? */
static bool is_sum_before(const struct block *bl, struct value to)
{
	return origins(to) == FROM_SUM && (uint32_t)to.lo - bl->insn >= bl->ninsn;
}

void state_jumps(const struct values *v, const struct value *to, struct stated_jumps *all)
{
	const struct cfg *g = v->g;
	const struct func *f = v->f;
	size_t before = all->jump.n;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		struct held_at h;
		if ((bl->end != END_TABLE && !bl->by_address) ||
			!state_origin(to[b - f->block], &h) || h.holds != HOLDS_TARGET ||
			(h.n == ANY_TABLE && is_sum_before(bl, to[b - f->block])))
			continue;
		vec_push(&all->jump,
			((struct jump_at){.sec = v->t->sec->index,
				.off = (uint32_t)g->insn.v[bl->insn + bl->ninsn - 1].off,
				.words = h.n}));
	}
	for (uint32_t b = f->block; all->jump.n > before && b < f->block + f->nblock; b++)
		if (!g->block.v[b].gap)
			state_block(v, b, &all->held);
}

/* Numbers the tables that are named, in their order; number: by table, not 0 for these. */
static bool names_table(const struct held_at *h)
{
	return h->holds != HOLDS_NOTHING;
}

static void state_tables(const struct cfg *g, uint32_t *number)
{
	for (uint32_t k = 0; k < g->table.n; k++) {
		const struct table *t = &g->table.v[k];
		if (!number[k])
			continue;
		number[k] = (uint32_t)g->stated->words.n;
		vec_push(&g->stated->words,
			((struct words_at){t->sec, (uint32_t)t->base, t->n / t->step}));
	}
}

void state_parts(const struct cfg *g, struct stated_jumps *part, size_t n)
{
	struct stated *all = g->stated;
	uint32_t *number = arena_array(g->arena, uint32_t, g->table.n);
	size_t held = all->held.n;
	all->words.n = all->jump.n = 0;
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < part[k].jump.n; i++)
			vec_push(&all->jump, part[k].jump.v[i]);
		for (size_t i = 0; i < part[k].held.n; i++)
			vec_push(&all->held, part[k].held.v[i]);
		vec_free(&part[k].jump);
		vec_free(&part[k].held);
	}
	for (size_t i = 0; i < all->jump.n; i++)
		if (all->jump.v[i].words != ANY_TABLE)
			number[all->jump.v[i].words] = 1;
	for (size_t i = held; i < all->held.n; i++)
		if (names_table(&all->held.v[i]))
			number[all->held.v[i].n] = 1;
	state_tables(g, number);
	for (size_t i = 0; i < all->jump.n; i++)
		if (all->jump.v[i].words != ANY_TABLE)
			all->jump.v[i].words = number[all->jump.v[i].words];
	for (size_t i = held; i < all->held.n; i++)
		if (names_table(&all->held.v[i]))
			all->held.v[i].n = number[all->held.v[i].n];
}
