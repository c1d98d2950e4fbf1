/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c - one pass over a function, with what is stated where its blocks begin
 *
 * The rewriter states what registers and words of the frame hold there.  A function is executed
 * once, from its first instruction to its last: what is stated at a place must include what the
 * code in front of it leaves, and what each branch that leads there comes with.  Where nothing is
 * stated, nothing is known.  So what is stated is true: it is at first, and each step of an
 * execution keeps it so.
 */
#include "verify/follow.h"

#include "verify/branches.h"
#include "verify/places.h"
#include "verify/tables.h"

#include <stdlib.h>

static int said_cmp(const void *a, const void *b)
{
	const struct said *x = a, *y = b;
	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void add_fact(struct follow *p, uint32_t sec, uint32_t off, struct said f)
{
	const struct vtext *t = text_at(p->v, sec);
	if (!t || off >= t->a->size || f.holds >= 32 || !(p->by->kinds >> f.holds & 1))
		return;
	f.insn = insn_at(p->v, t, off);
	if (p->v->insn.v[f.insn].off == off && (!p->by->read || p->by->read(p->ctx, t, &f)))
		vec_push(&p->fact, f);
}

void follow_open(struct follow *p, const struct flow *w, const struct follower *by, void *ctx,
	const void *now)
{
	struct verify *v = w->v;
	const struct stated *all = v->opt.stated;
	*p = (struct follow){.v = v, .w = w, .by = by, .ctx = ctx, .now = now};
	p->done = arena_array(&v->arena, uint64_t, w->part.n / 64 + 1);
	for (size_t i = 0; all && i < all->held.n; i++) {
		const struct held_at *h = &all->held.v[i];
		if (h->place >= 0 && (h->place < REGS || h->place >= FRAME_WORDS))
			add_fact(p, h->sec, h->off,
				(struct said){0, h->n, h->place, h->holds, false, false});
	}
	for (size_t i = 0; all && i < all->sums.n; i++) {
		const struct sums_at *s = &all->sums.v[i];
		add_fact(p, s->sec, s->off,
			(struct said){0, s->sum, (int)s->regs, HOLDS_SUM, false, false});
	}
	if (p->fact.n)
		sort(p->fact.v, p->fact.n, sizeof *p->fact.v, said_cmp);
}

void follow_close(struct follow *p)
{
	vec_free(&p->fact);
}

static size_t first_fact(const struct follow *p, uint32_t k)
{
	size_t i;
	BISECT(i, 0, p->fact.n, p->fact.v[i].insn < k);
	return i;
}

const struct said *follow_facts(const struct follow *p, size_t *n)
{
	size_t first = first_fact(p, p->from);
	*n = first_fact(p, p->to) - first;
	return p->fact.v + first;
}

static bool is_said(const struct follow *p, size_t i, uint32_t k)
{
	return i < p->fact.n && p->fact.v[i].insn == k;
}

bool follow_says(const struct follow *p, uint32_t k)
{
	return is_said(p, first_fact(p, k), k);
}

static const struct vtext *text_of(const struct follow *p, uint32_t k)
{
	return &p->v->text.v[p->w->part.v[part_of(p->w, k)].text];
}

void follow_to(struct follow *p, uint32_t from, uint32_t k, const void *state)
{
	size_t first = first_fact(p, k), i = first;
	for (; is_said(p, i, k) && p->by->includes(p->ctx, &p->fact.v[i], state); i++) {
		p->fact.v[i].seen |= (bool)state;
		p->fact.v[i].open |= !state;
	}
	if (is_said(p, i, k) ||
		(state && p->by->misses &&
			p->by->misses(p->ctx, &p->fact.v[first], i - first, state)))
		vfail(p->v, text_of(p, from)->a, p->v->insn.v[from].off,
			"what registers are said to hold at 0x%x is not what follows",
			p->v->insn.v[k].off);
}

static void follow_words(struct follow *p, uint32_t k, const struct vtable *table)
{
	struct vwords w = vtable_words(p->v, table);
	uint32_t sec;
	uint64_t to;
	while (vtable_next(p->v, &w, &sec, &to)) {
		uint32_t i = insn_at(p->v, text_at(p->v, sec), to);
		if (i >= p->from && i < p->to)
			follow_to(p, k, i, p->now);
	}
}

bool follow_tables(struct follow *p, uint32_t k)
{
	const struct vscaled *s = scaled_at(p->v, k);
	const struct vtable *table = table_at(p->v, k);
	uint32_t to;
	for (uint32_t i = 0; s && i < s->n; i++)
		if ((to = scaled_target(p->v, s, i)) != NO_INSN)
			follow_to(p, k, to, p->now);
	if (table)
		follow_words(p, k, table);
	return s || table;
}

/*
 * falls: control comes to k from the instruction in front of it; resumes: who stopped it there goes
 * on.  False: control comes there from nowhere.
 */
static bool begin(struct follow *p, uint32_t k, bool falls, bool resumes)
{
	const struct flow *w = p->w;
	while (p->next < p->fact.n && p->fact.v[p->next].insn < k)
		p->next++;
	size_t i = p->next;
	bool led = resumes || is_said(p, i, k) || bit_get(w->led_to, k) || bit_get(w->taken, k) ||
		bit_get(w->entry, k) || bit_get(w->open, k);
	if (!led)
		return falls;
	if (falls)
		follow_to(p, k - 1, k, p->now);
	bool comes = true;
	p->by->start(p->ctx);
	for (; is_said(p, i, k); i++)
		comes &= p->by->add(p->ctx, &p->fact.v[i]);
	return comes;
}

/*
 * Where control goes from k, if it branches with that state.  Does it fall through, too?  If not,
 * behind a call, what is stated there may still assume it.
 */
static bool go(struct follow *p, uint32_t k, const void *state, enum going going)
{
	const struct insn *in = &p->v->insn.v[k];
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	bool plain = in->kind == INSN_OTHER || in->kind == INSN_NOP;
	const struct vbranch *b = plain ? NULL : branch_at(p->v, k);
	if (b && going != TO_NEXT)
		follow_to(p, k, b->target,
			call || b->target < p->from || b->target >= p->to ? NULL : state);
	if (in->kind == INSN_JUMP_IND && p->by->lead)
		p->by->lead(p->ctx, k);
	if (!call || !is_last_call(p->w, p->t, k))
		return !stops(in) && going != TO_TARGET;
	for (size_t i = first_fact(p, k + 1); is_said(p, i, k + 1); i++)
		p->fact.v[i].seen |= p->by->includes(p->ctx, &p->fact.v[i], p->now);
	return false;
}

void follow_enter(struct follow *p, uint32_t part)
{
	const struct part *x = p->w->part.v;
	p->text = x[part].text;
	p->t = &p->v->text.v[p->text];
	p->from = x[part].first;
	p->to = x[x[part].func_end].first;
}

void follow_run(struct follow *p, const void *state)
{
	const struct part *all = p->w->part.v;
	uint32_t part = part_of(p->w, p->from);
	bool falls = false, resumes = false;
	for (uint32_t i = part; i < all[part].func_end; i++)
		bit_set(p->done, i);
	follow_to(p, p->from, p->from, state);
	p->next = first_fact(p, p->from);
	for (uint32_t k = p->from; k < p->to; k++) {
		const struct insn *in = &p->v->insn.v[k];
		falls = begin(p, k, falls, resumes) && in->kind != KIND_RAW;
		resumes = false;
		if (!falls)
			continue;
		enum going going = p->by->going ? p->by->going(p->ctx, k) : EITHER_WAY;
		falls = go(p, k, p->by->execute(p->ctx, k), going);
		resumes = falls && in->kind == INSN_TRAP;
		falls = falls && !resumes;
	}
}

/* Control comes to k from elsewhere: nothing is asked of functions that were not followed. */
static void come_in(struct follow *p, uint32_t from, uint32_t k)
{
	if (bit_get(p->done, part_of(p->w, k)))
		follow_to(p, from, k, NULL);
}

void follow_entries(struct follow *p, bool taken)
{
	const struct flow *w = p->w;
	const struct verify *v = p->v;
	for (size_t i = 0; i < v->branch.n && p->fact.n; i++) {
		const struct vbranch *b = &v->branch.v[i];
		if (!bit_get(p->done, part_of(w, b->insn)) && bit_get(w->reached, b->insn))
			come_in(p, b->insn, b->target);
	}
	for (size_t i = 0; i < w->pad.n; i++)
		if (!p->by->raises || !bit_get(p->done, part_of(w, w->pad.v[i].from)))
			come_in(p, w->pad.v[i].from, w->pad.v[i].pad);
	for (size_t i = 0; i < w->across.n; i++)
		come_in(p, w->across.v[i].label, w->across.v[i].label);
	for (size_t i = 0; i < p->fact.n; i++) {
		uint32_t k = p->fact.v[i].insn;
		if (bit_get(w->open, k) || (taken && bit_get(w->addressed, k)))
			come_in(p, k, k);
	}
}
