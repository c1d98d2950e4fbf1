/* SPDX-License-Identifier: Apache-2.0 */
/* site.c - the code of a counter's sites, made of the sequences of code/; see site.h */
#include "instr/count/count.h"

#include "runtime/abi.h"

#include <stdlib.h>

static struct place place_of(const struct site *s)
{
	return (struct place){s->text, s->off, s->branch, s->runs};
}

static int site_cmp(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	int order = place_cmp(place_of(x), place_of(y));
	if (order)
		return order;
	if (x->kind != y->kind)
		return x->kind > y->kind ? -1 : 1;
	return x->arg < y->arg ? -1 : x->arg > y->arg;
}

void sites_sort(site_vec *v)
{
	sort(v->v, v->n, sizeof *v->v, site_cmp);
}

static void put_hold(const struct plan *p, struct code *out, struct holding h, enum hold what,
	unsigned by)
{
	h.what = what;
	h.by = by;
	code_hold(p->g->target, out, &h);
}

/* The counter's register, which may be a vector's, is added to the counter in memory. */
static void end_code(const struct plan *p, const struct site *s, struct holding h, struct code *out)
{
	const struct target *t = p->g->target;
	const struct step *step = &s->step;
	regset free = s->dead & target_scratch(t);
	if (step->by && t->micro->hold_vectors & REG_BIT(s->reg) && free) {
		h.reg = lowest_reg(free);
		put_hold(p, out, h, HOLD_FETCH, s->reg);
	}
	if (step->by)
		put_hold(p, out, h, HOLD_DISTANCE, step->by - 1u);
	if (step->shift)
		put_hold(p, out, h, HOLD_DIVIDE, step->shift);
	put_hold(p, out, h, step->by && !step->down ? HOLD_END_LESS : HOLD_END, 0);
}

static void count_code(const struct plan *p, const struct site *s, const struct holding *h,
	struct code *out)
{
	const struct target *t = p->g->target;
	if (p->opt->mode == LDX_MODE_COVER)
		code_mark(t, out, &h->counter);
	else if (s->how == COUNT_HELD || s->how == COUNT_STEPPED)
		put_hold(p, out, *h, s->how == COUNT_HELD ? HOLD_COUNT : HOLD_STEP, 0);
	else if (s->base)
		code_count_by(t, out, &h->counter, s->base - 1u, s->makes);
	else
		code_count(t, out, &h->counter);
}

/* Append the code of a site. */
static void site_code(const struct plan *p, const struct site *s, struct code *out)
{
	const struct target *t = p->g->target;
	struct counter_addressing to = p->addressing;
	const struct holding h = {.counter = {&to, (int64_t)s->arg * p->cell, s->dead},
		.reg = s->reg};
	size_t first = out->claims ? out->claims->n : 0;
	to.repeat = s->repeat;
	if (s->plain)
		to.access = ACCESS_PLAIN;
	switch ((enum site_kind)s->kind) {
	case SITE_BASE: code_base(t, out, &h.counter, s->base - 1u); break;
	case SITE_BEGIN:
		put_hold(p, out, h, s->step.by ? HOLD_FOLLOW : HOLD_BEGIN,
			s->step.by ? s->step.by - 1u : 0);
		break;
	case SITE_END: end_code(p, s, h, out); break;
	case SITE_ENTRY:
		t->micro->landing(out);
		code_claim(out, 0, (struct claim){.kind = CLAIM_LANDING});
		/* fallthrough */
	case SITE_COUNT: count_code(p, s, &h, out); break;
	}
	for (size_t i = first; out->claims && i < out->claims->n; i++)
		out->claims->v[i].plain = s->plain;
}

void sites_insert(const struct plan *p)
{
	vec_reserve(&p->in->to->v, p->in->to->v.n + p->site.n);
	for (uint32_t i = 0; i < p->site.n; i++) {
		const struct site *s = &p->site.v[i];
		site_code(p, s, &p->in->code);
		insert(p->in,
			(struct insertion){.text = s->text,
				.off = s->off,
				.branch = s->branch,
				.runs = s->runs,
				.maker = MAKER_COUNT,
				.id = i,
				.often = s->often,
				.changes = s->dead});
	}
}
