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

#include <stdlib.h>

static int said_cmp(const void *a, const void *b)
{
	const struct said *x = a, *y = b;
	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
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
		const struct vtext *t = text_at(v, h->sec);
		bool known = h->holds < 32 && by->kinds >> h->holds & 1 && h->place >= 0 &&
			(h->place < REGS || h->place >= FRAME_WORDS);
		if (!known || !t || h->off >= t->a->size)
			continue;
		struct said f = {insn_at(v, t, h->off), h->n, h->place, h->holds};
		if (v->insn.v[f.insn].off == h->off)
			vec_push(&p->fact, f);
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

static bool is_said(const struct follow *p, size_t i, uint32_t k)
{
	return i < p->fact.n && p->fact.v[i].insn == k;
}

static const struct vtext *text_of(const struct follow *p, uint32_t k)
{
	return &p->v->text.v[p->w->part.v[part_of(p->w, k)].text];
}

void follow_to(struct follow *p, uint32_t from, uint32_t k, const void *state)
{
	for (size_t i = first_fact(p, k); is_said(p, i, k); i++) {
		const struct said *f = &p->fact.v[i];
		if (p->by->includes(p->ctx, f, state))
			continue;
		vfail(p->v, text_of(p, from)->a, p->v->insn.v[from].off,
			"what place %d is said to hold at 0x%x is not what follows", f->place,
			p->v->insn.v[k].off);
		return;
	}
}

/* falls: control comes to k from the instruction in front of it.  False: control comes there from
 * nowhere. */
static bool begin(struct follow *p, uint32_t k, bool falls)
{
	const struct flow *w = p->w;
	size_t i = first_fact(p, k);
	bool led = is_said(p, i, k) || bit_get(w->led_to, k) || bit_get(w->taken, k) ||
		bit_get(w->entry, k) || bit_get(w->open, k);
	if (!led)
		return falls;
	if (falls)
		follow_to(p, k - 1, k, p->now);
	p->by->start(p->ctx);
	for (; is_said(p, i, k); i++)
		p->by->add(p->ctx, &p->fact.v[i]);
	return true;
}

/* Where control goes from k, if it branches with that state.  Does it fall through, too? */
static bool go(struct follow *p, uint32_t k, const void *state)
{
	const struct insn *in = &p->v->insn.v[k];
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	const struct vbranch *b = branch_at(p->v, k);
	if (b)
		follow_to(p, k, b->target,
			call || b->target < p->from || b->target >= p->to ? NULL : state);
	if (in->kind == INSN_JUMP_IND)
		p->by->lead(p->ctx, k);
	return call ? !is_last_call(p->w, p->t, k) : !stops(in);
}

bool follow_enter(struct follow *p, uint32_t part)
{
	const struct part *x = p->w->part.v;
	p->text = x[part].text;
	p->t = &p->v->text.v[p->text];
	p->from = x[part].first;
	p->to = x[x[part].func_end].first;
	return first_fact(p, p->from) < first_fact(p, p->to);
}

void follow_run(struct follow *p)
{
	const struct part *all = p->w->part.v;
	uint32_t part = part_of(p->w, p->from);
	bool falls = false;
	for (uint32_t i = part; i < all[part].func_end; i++)
		bit_set(p->done, i);
	follow_to(p, p->from, p->from, NULL);
	for (uint32_t k = p->from; k < p->to; k++) {
		falls = begin(p, k, falls) && p->v->insn.v[k].kind != KIND_RAW;
		if (falls)
			falls = go(p, k, p->by->execute(p->ctx, k));
	}
}

void follow_entries(struct follow *p, bool taken)
{
	const struct flow *w = p->w;
	const struct verify *v = p->v;
	for (size_t i = 0; i < v->branch.n; i++) {
		const struct vbranch *b = &v->branch.v[i];
		if (!bit_get(p->done, part_of(w, b->insn)) && bit_get(w->reached, b->insn))
			follow_to(p, b->insn, b->target, NULL);
	}
	for (size_t i = 0; i < w->pad.n; i++)
		follow_to(p, w->pad.v[i].from, w->pad.v[i].pad, NULL);
	for (size_t i = 0; i < w->across.n; i++)
		follow_to(p, w->across.v[i].label, w->across.v[i].label, NULL);
	for (size_t i = 0; i < p->fact.n; i++)
		if (bit_get(w->entry, p->fact.v[i].insn) || bit_get(w->open, p->fact.v[i].insn) ||
			(taken && bit_get(w->taken, p->fact.v[i].insn)))
			follow_to(p, p->fact.v[i].insn, p->fact.v[i].insn, NULL);
}
