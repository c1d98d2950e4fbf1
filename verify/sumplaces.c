/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sumplaces.c - which places of code are as far from each other as before
 */
#include "verify/sums.h"

#include "verify/branches.h"
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/sites.h"

#include <stdlib.h>

uint32_t label_number(struct sums *s, uint32_t sec, uint64_t x)
{
	uint32_t text = s->v->text_of[sec] - 1;
	for (uint32_t i = 0; i < s->label.n; i++)
		if (s->label.v[i].text == text && s->label.v[i].x == x)
			return i + 1;
	vec_push(&s->label, (struct label){.text = text, .x = x});
	return (uint32_t)s->label.n;
}

uint32_t placed_by(struct sums *s, uint32_t n, uint32_t k)
{
	struct label *l = &s->label.v[n - 1];
	uint32_t sec;
	uint64_t y;
	bool known = new_target(s->v, s->t, k, &sec, &y) && sec == s->v->text.v[l->text].b->index;
	if (l->placed == PLACED_NOT && known)
		l->placed = PLACED, l->y = y;
	else if (!known || l->y != y)
		l->placed = PLACED_UNKNOWN;
	return n;
}

uint32_t placed_elsewhere(struct sums *s, uint32_t n)
{
	s->label.v[n - 1].placed = PLACED_UNKNOWN;
	return n;
}

static bool has_site(const struct verify *v, uint32_t text, uint32_t first, uint32_t last)
{
	const struct vsite *s = first_site(v, text, first);
	return s < v->site.v + v->site.n && s->text == text && s->insn <= last;
}

/* By how much the first instruction from k on that is no no-op was moved. */
static int64_t shift_at(const struct verify *v, const struct vtext *t, uint32_t k)
{
	while (k < t->first + t->n && is_padding(&v->insn.v[k]))
		k++;
	uint64_t x = k < t->first + t->n ? v->insn.v[k].off : t->a->size;
	return (int64_t)(t->hi[k - t->first] - x);
}

/* Are all instructions in [first, last], but no-ops, moved by shift, with nothing inserted? */
static bool moves_as_one(const struct verify *v, const struct vtext *t, uint32_t first,
	uint32_t last, int64_t shift)
{
	for (uint32_t k = first; k <= last && k < t->first + t->n; k++)
		if (!is_padding(&v->insn.v[k]) && shift_at(v, t, k) != shift)
			return false;
	return first == last || !has_site(v, (uint32_t)(t - v->text.v), first + 1, last);
}

bool is_unmoved(const struct verify *v, const struct vtext *t, uint64_t from, uint64_t to)
{
	uint32_t first = insn_at(v, t, from), last = insn_at(v, t, to - 1);
	while (last < t->first + t->n && is_padding(&v->insn.v[last]))
		last++;
	return moves_as_one(v, t, first, last, shift_at(v, t, first)) &&
		!has_site(v, (uint32_t)(t - v->text.v), first, first);
}

bool is_rigid(const struct verify *v, uint32_t text)
{
	struct vtext *t = &v->text.v[text];
	if (!t->rigid)
		t->rigid = 1 +
			(t->broken ||
				(t->a->size == t->b->size &&
					!has_site(v, text, t->first, NO_INSN) &&
					moves_as_one(v, t, t->first, t->first + t->n, 0)));
	return t->rigid > 1;
}

bool keeps_distances(struct sums *s, const struct label *l, int64_t lo, int64_t hi)
{
	struct verify *v = s->v;
	const struct vtext *t = &v->text.v[l->text];
	int64_t end = (int64_t)(t->a->size - l->x), begin = -(int64_t)l->x;
	if (is_rigid(v, l->text))
		return true;
	if (l->x >= t->a->size)
		return false;
	/* no place outside of the section is at a known distance */
	lo = lo < begin ? begin : lo > end ? end : lo;
	hi = hi < begin ? begin : hi > end ? end : hi;
	uint64_t from = l->x + (uint64_t)lo, to = l->x + (uint64_t)hi;
	uint32_t k = insn_at(v, t, l->x);
	int64_t shift = shift_at(v, t, k);
	if (has_site(v, l->text, k, k))
		return false;
	if (lo != hi)
		return moves_as_one(v, t, insn_at(v, t, from), insn_at(v, t, to), shift);
	bool padding = from < t->a->size && is_padding(&v->insn.v[insn_at(v, t, from)]);
	return same_place(v, t->a->index, from, t->b->index, from + (uint64_t)shift,
		padding ? USE_READ : USE_ENTER);
}

/* Mark what is reachable from first by direct branches and falling through, within the function. */
static void flood(struct sums *s, uint32_t first, uint32_t end)
{
	const struct verify *v = s->v;
	VEC(uint32_t) todo = {0};
	vec_push(&todo, first);
	while (todo.n) {
		uint32_t k = todo.v[--todo.n];
		for (bool on = true; on && k >= first && k < end && !bit_get(s->reached, k); k++) {
			uint8_t kind = v->insn.v[k].kind;
			const struct vbranch *b = branch_of(v, k);
			bit_set(s->reached, k);
			if (b)
				vec_push(&todo, b->target);
			on = kind != KIND_RAW && kind != INSN_JUMP && kind != INSN_JUMP_IND &&
				kind != INSN_RET && kind != INSN_TRAP;
		}
	}
	vec_free(&todo);
}

bool is_reached(struct sums *s, const struct vtext *t, uint32_t k)
{
	const struct part *all = s->w->part.v, *f = &all[all[part_of(s->w, k)].func];
	if (f->idle || !bit_get(t->start, s->v->insn.v[f->first].off))
		return false;
	if (!bit_get(s->reached, f->first))
		flood(s, f->first, all[f->func_end].first);
	return bit_get(s->reached, k);
}

bool is_code(struct sums *s, struct label *l)
{
	const struct vtext *t = &s->v->text.v[l->text];
	if (!l->asked && l->x < t->a->size) {
		uint32_t k = insn_at(s->v, t, l->x);
		l->code = s->v->insn.v[k].off == l->x && is_reached(s, t, k);
	}
	l->asked = true;
	return l->code;
}

void judge_sum(struct sums *s, uint32_t k, struct value v, bool entered)
{
	if (!v.sum || !v.label || (v.loaded && !entered))
		return;
	bool all = v.label == MANY || (v.others && entered);
	for (uint32_t i = 0; i < s->label.n; i++) {
		struct label *l = &s->label.v[i];
		if ((!all && v.label != i + 1) || (!entered && !is_code(s, l)))
			continue;
		if (v.bounded ? keeps_distances(s, l, v.lo, v.hi) : is_rigid(s->v, l->text))
			continue;
		vfail(s->v, s->t->a, s->v->insn.v[k].off,
			"computes an address from %s+0x%llx, and "
			"code was inserted in between",
			s->v->text.v[l->text].a->name, (unsigned long long)l->x);
		return;
	}
}
