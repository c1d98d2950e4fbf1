/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sum_facts.c - what registers hold where blocks begin, of labels of code and numbers: for the
 * verifier, as sums.c has found it
 */
#include "cfg/sums.h"
#include "cfg/tables.h"

#include <stdlib.h>

enum { RECENT = 64 };

static struct sum_at sum_of(const struct cfg *g, struct value v)
{
	bool several = v.flags & LABEL_SEVERAL, label = v.what == LABEL && !several;
	struct sum_at s = {.lo = v.lo,
		.hi = v.hi,
		.kind = v.what == GOT_DISTANCE ? SUM_GOT_DISTANCE
			: v.what == RANGE      ? SUM_NUMBER
			: several	       ? SUM_SEVERAL
					       : SUM_LABEL};
	if (label) {
		s.sec = (uint32_t)g->text.v[v.base].sec->index;
		s.off = (uint32_t)v.n;
	}
	s.flags = (uint8_t)((v.flags & BOUNDED ? SUM_BOUNDED : 0) |
		(v.flags & LABEL_SUM ? SUM_ADDED : 0) | (v.flags & LABEL_WEAK ? SUM_WEAK : 0) |
		(v.flags & LABEL_OTHERS ? SUM_OTHERS : 0) | (v.flags & LABEL_ENDS ? SUM_ENDS : 0));
	return s;
}

static bool is_same(const struct sum_at *a, const struct sum_at *b)
{
	return a->sec == b->sec && a->off == b->off && a->lo == b->lo && a->hi == b->hi &&
		a->kind == b->kind && a->flags == b->flags;
}

/* The number of s, among those of the function from `first' on: of the last ones, so far. */
static uint32_t number_of(struct sum_facts *all, size_t first, struct sum_at s)
{
	size_t i = all->sum.n, end = i < first + RECENT ? first : i - RECENT;
	while (i > end && !is_same(&all->sum.v[i - 1], &s))
		i--;
	if (i > end)
		return (uint32_t)i - 1;
	vec_push(&all->sum, s);
	return (uint32_t)all->sum.n - 1;
}

/* What registers hold in state s, at off. */
static void state_sums(struct walk *w, size_t first, uint64_t off, const struct state *s)
{
	struct sum_facts *all = &w->facts;
	const struct values *v = &w->v;
	size_t from = all->sums.n, i;
	for (regset some = s->known & REGSET_GENERAL; some; some &= some - 1) {
		unsigned r = lowest_reg(some);
		if (s->reg[r].what == GOT_DISTANCE && !w->adds_got)
			continue;
		uint32_t n = number_of(all, first, sum_of(v->g, s->reg[r]));
		for (i = from; i < all->sums.n && all->sums.v[i].sum != n;)
			i++;
		if (i == all->sums.n)
			vec_push(&all->sums,
				((struct sums_at){(uint32_t)v->t->sec->index, (uint32_t)off, n,
					0}));
		all->sums.v[i].regs |= UINT32_C(1) << r;
	}
}

/* Does control come to block b otherwise than by falling through? */
static bool is_led(const struct values *v, uint32_t b)
{
	return v->g->block.v[b].entered ||
		set_has(v->t->leaders, v->g->insn.v[v->g->block.v[b].insn].off);
}

void sum_facts_add(struct walk *w, bool stored)
{
	struct sum_facts *all = &w->facts;
	const struct values *v = &w->v;
	size_t first = all->sum.n;
	struct state s;
	const struct sum_at nowhere = {.kind = SUM_NOWHERE};
	if (stored)
		vec_push(&all->held,
			((struct held_at){.sec = (uint32_t)v->t->sec->index,
				.off = (uint32_t)v->f->start,
				.holds = HOLDS_STORED}));
	for (uint32_t b = v->f->block; b < v->f->block + v->f->nblock; b++) {
		uint64_t off = v->g->insn.v[v->g->block.v[b].insn].off;
		if (v->at.v[b - v->f->block].dead)
			vec_push(&all->sums,
				((struct sums_at){(uint32_t)v->t->sec->index, (uint32_t)off,
					number_of(all, first, nowhere), 0}));
		else if (!v->g->block.v[b].gap && is_led(v, b) && values_at(v, b, &s))
			state_sums(w, first, off, &s);
	}
}

void sum_facts_join(struct stated *to, struct sum_facts *all)
{
	uint32_t n = (uint32_t)to->sum.n;
	for (size_t i = 0; i < all->sum.n; i++)
		vec_push(&to->sum, all->sum.v[i]);
	for (size_t i = 0; i < all->sums.n; i++) {
		all->sums.v[i].sum += n;
		vec_push(&to->sums, all->sums.v[i]);
	}
	for (size_t i = 0; i < all->held.n; i++)
		vec_push(&to->held, all->held.v[i]);
	vec_free(&all->sum);
	vec_free(&all->sums);
	vec_free(&all->held);
}
