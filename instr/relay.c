/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay.c - jumps by which branches lead farther than they reach; see relay.h
 */
#include "instr/relay.h"

#include "cfg/refs.h"
#include "instr/layout.h"
#include "instr/stubs.h"

#include <stdlib.h>

bool uses_relays(const struct plan *p)
{
	return p->opt->moves && p->g->target->form->far_reloc;
}

void relays_start(struct relays *r, const struct cfg *g)
{
	*r = (struct relays){0};
	stubs_jump(g, &r->jump, r->bytes);
}

void relays_free(struct relays *r)
{
	vec_free(&r->v);
	vec_free(&r->by_label);
}

struct branch_form relay_form(const struct relays *r)
{
	return (struct branch_form){&r->jump, r->bytes, r->jump.len};
}

static int label_cmp(const struct dest *x, const struct dest *y)
{
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	if (x->use != y->use)
		return x->use < y->use ? -1 : 1;
	return x->skip < y->skip ? -1 : x->skip > y->skip;
}

static int relay_cmp(const void *a, const void *b)
{
	const struct relay *x = a, *y = b;
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return x->skips != y->skips ? y->skips - x->skips : label_cmp(&x->to, &y->to);
}

/* The number of the first relay in by_label whose label is not in front of this one. */
static size_t first_to(const struct relays *r, const struct dest *label)
{
	size_t i;
	BISECT(i, 0, r->by_label.n, label_cmp(&r->v.v[r->by_label.v[i]].to, label) < 0);
	return i;
}

void relays_sort(struct relays *r)
{
	r->by_label.n = 0;
	if (r->v.n)
		sort(r->v.v, r->v.n, sizeof *r->v.v, relay_cmp);
	for (uint32_t k = 0; k < r->v.n; k++) {
		size_t i = r->by_label.n;
		if (r->v.v[k].skips)
			continue;
		vec_push(&r->by_label, k);
		for (; i && label_cmp(&r->v.v[r->by_label.v[i - 1]].to, &r->v.v[k].to) > 0; i--)
			r->by_label.v[i] = r->by_label.v[i - 1];
		r->by_label.v[i] = k;
	}
}

bool form_reaches(const struct plan *p, const struct branch_form *form, int64_t dist)
{
	const struct target *t = p->g->target;
	uint8_t out[24];
	unsigned field;
	return t->form->encode(form->in, form->bytes, form->len, dist, out) &&
		!(p->opt->moves && t->form->far_reloc &&
			t->form->far_reloc(form->in, form->len, dist, &field));
}

/* Is x on the way from at to to? */
static bool is_between(uint64_t at, uint64_t x, uint64_t to)
{
	return at < to ? x > at && x < to : x < at && x > to;
}

static bool is_nearer(uint64_t x, uint64_t than, uint64_t to)
{
	return x < to ? x > than : x < than;
}

uint64_t relays_lead(const struct relays *r, const struct plan *p, const struct branch_form *form,
	uint64_t at, const struct dest *label, uint64_t to)
{
	uint64_t best = at;
	if (!r->v.n || form_reaches(p, form, (int64_t)(to - at)))
		return to;
	for (size_t i = first_to(r, label); i < r->by_label.n; i++) {
		const struct relay *x = &r->v.v[r->by_label.v[i]];
		if (label_cmp(&x->to, label) != 0)
			break;
		if (is_between(at, x->at, to) && is_nearer(x->at, best, to) &&
			form_reaches(p, form, (int64_t)(x->at - at)))
			best = x->at;
	}
	return best == at ? to : best;
}

uint64_t relay_target(const struct relays *r, const struct plan *p, const struct layout *l,
	size_t k)
{
	const struct relay *x = &r->v.v[k];
	const struct branch_form form = relay_form(r);
	if (!x->skips)
		return relays_lead(r, p, &form, x->at, &x->to, layout_place(l, &x->to));
	while (++k < r->v.n && r->v.v[k].off == x->off)
		;
	return r->v.v[k - 1].at + form.len;
}

/* Wanting ---------------------------------------------------------------- */

struct wanting {
	struct relays *r;
	const struct plan *p;
	const struct layout *l;
	relay_vec place; /* where there may be one: off, and at, about where it would be now */
	relay_vec new;
};

/*
 * Nothing falls to what is behind a jump.  Behind one that stays in its function the frame is as it
 * is where branches come from.
 */
static bool is_place(const struct plan *p, const struct layout *l, uint32_t b, bool *falls)
{
	const struct cfg *g = p->g;
	const struct block *bl = &g->block.v[b], *next = bl + 1;
	const struct func *f = &g->func.v[bl->func];
	uint32_t last = bl->insn + bl->ninsn - 1;
	bool jumps = bl->end == END_TABLE || (bl->end == END_JUMP && func_has_block(f, bl->target));
	*falls = bl->end == END_FALL || (bl->end == END_BRANCH && !layout_leaves(l, last));
	return (jumps || *falls) && !bl->gap && !next->gap && f->why == OPAQUE_NOT &&
		next->func == bl->func && g->insn.v[next->insn].off == insn_end(&g->insn.v[last]) &&
		!(g->insn.v[next->insn].flags & INSN_GLUED);
}

static void find_places(struct wanting *w, const struct code_section *t)
{
	const struct cfg *g = w->p->g;
	bool falls;
	for (uint32_t b = t->block; b + 1 < t->block + t->nblock; b++) {
		uint32_t off = g->insn.v[g->block.v[b + 1].insn].off;
		if (is_place(w->p, w->l, b, &falls))
			vec_push(&w->place,
				(struct relay){.off = off,
					.skips = falls,
					.at = map_addr(&w->l->map, off, REF_LEAVE)});
	}
}

/* Does the branch reach so far even when there are some more relays in between? */
static bool reaches_well(const struct wanting *w, const struct branch_form *form, uint64_t at,
	uint64_t x)
{
	return form_reaches(w->p, form, (int64_t)(x - at) / 28 * 32);
}

static bool has_new(const struct wanting *w, const struct branch_form *form, uint64_t at,
	const struct dest *label, uint64_t to)
{
	for (size_t i = w->new.n; i-- > 0;) {
		const struct relay *x = &w->new.v[i];
		if (!x->skips && !label_cmp(&x->to, label) && is_between(at, x->at, to) &&
			reaches_well(w, form, at, x->at))
			return true;
	}
	return false;
}

static const struct relay *find_place(const struct wanting *w, const struct branch_form *form,
	uint64_t at, uint64_t to, bool skips)
{
	const struct relay *best = NULL;
	for (const struct relay *x = w->place.v; x < w->place.v + w->place.n; x++)
		if (x->skips == skips && is_between(at, x->at, to) &&
			(!best || is_nearer(x->at, best->at, to)) &&
			reaches_well(w, form, at, x->at))
			best = x;
	return best;
}

static bool has_skip(const relay_vec *v, uint32_t off)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].skips && v->v[i].off == off)
			return true;
	return false;
}

/* A branch at offset at leads to the label, which is at to: it may need a relay. */
static void want(struct wanting *w, const struct branch_form *form, uint64_t at,
	const struct dest *label, uint64_t to)
{
	uint64_t lead = relays_lead(w->r, w->p, form, at, label, to);
	if (form_reaches(w->p, form, (int64_t)(lead - at)) || has_new(w, form, at, label, to))
		return;
	const struct relay *best = find_place(w, form, at, to, false);
	best = best ? best : find_place(w, form, at, to, true);
	if (!best)
		return;
	if (best->skips && !has_skip(&w->new, best->off) && !has_skip(&w->r->v, best->off))
		vec_push(&w->new, *best);
	vec_push(&w->new, (struct relay){.off = best->off, .to = *label, .at = best->at});
}

/* The branch at the end of block b, if it leads to what is behind it, or (not ahead) in front. */
static void want_of(struct wanting *w, const struct code_section *t, uint32_t b, bool ahead)
{
	const struct cfg *g = w->p->g;
	const struct block *bl = &g->block.v[b];
	uint32_t i = bl->insn + bl->ninsn - 1;
	const struct insn *in = &g->insn.v[i];
	struct branch_form form = {in, insn_bytes(t, in), in->len};
	struct dest label;
	if (bl->gap || g->func.v[bl->func].why != OPAQUE_NOT ||
		!layout_label(w->p, w->l, t, i, &label))
		return;
	uint64_t at = map_insn(&w->l->map, in->off, &form.len), to = layout_place(w->l, &label);
	if (ahead == (to > at))
		want(w, &form, at, &label, to);
}

/*
 * The branches that are farthest from their labels come first: those between them and their relay
 * have that one, too.
 */
bool relays_add(struct relays *r, const struct plan *p, const struct layout *l,
	const struct code_section *t)
{
	struct wanting w = {.r = r, .p = p, .l = l};
	const struct branch_form form = relay_form(r);
	if (form_reaches(p, &form, (int64_t)(l->map.new_size + 3) & ~3))
		return false;
	find_places(&w, t);
	for (uint32_t b = t->block; b < t->block + t->nblock; b++)
		want_of(&w, t, b, true);
	for (uint32_t b = t->block + t->nblock; b-- > t->block;)
		want_of(&w, t, b, false);
	for (size_t k = 0; k < r->v.n; k++)
		if (!r->v.v[k].skips)
			want(&w, &form, r->v.v[k].at, &r->v.v[k].to,
				layout_place(l, &r->v.v[k].to));
	bool any = w.new.n;
	while (w.new.n)
		vec_push(&r->v, w.new.v[--w.new.n]);
	relays_sort(r);
	vec_free(&w.place);
	vec_free(&w.new);
	return any;
}
