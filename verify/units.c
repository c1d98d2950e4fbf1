/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units.c - debug information of two objects, side by side
 */
#include "verify/debug.h"
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/sites.h"

#include "reloc/fix.h"

#include <stdlib.h>

bool side_place(const struct side *s, uint64_t off, struct vbase *p)
{
	uint32_t i = section_first_reloc(s->s, off);
	return i < s->s->nrel && s->s->rel[i].off == off && fix_names_label(s->o, &s->s->rel[i]) &&
		place_of(s->o, &s->s->rel[i], 0, &p->sec, &p->off);
}

/* Compilers end ranges one byte before a call's or tail call's end; its jump may have grown. */
static bool same_tail(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t x,
	uint64_t y)
{
	const struct insn *in = &v->insn.v[k];
	return x > in->off && new_end(t, k) - y == in->off + in->len - x;
}

bool same_spot(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y, enum use use)
{
	if (same_place(v, a, x, b, y, use))
		return true;
	const struct vtext *t = text_at(v, a);
	if (!t || v->pair[a] != b)
		return false;
	if (x >= t->a->size)
		return x > t->a->size && x - t->a->size == y - t->b->size;
	uint32_t k = insn_at(v, t, x);
	/* no-ops in front of a run belong to the one before it */
	const struct vrun *before;
	if (is_padding(&v->insn.v[k]) && follows_run(t, behind_padding(v, t, k), &before))
		return before->end <= y && y <= before->stop;
	/* code inserted in front of no-ops need not be in the range of the code behind them */
	if (k > t->first && is_padding(&v->insn.v[k - 1]) && same_place(v, a, x, b, y, USE_READ))
		return true;
	return same_tail(v, t, k, x, y);
}

static bool same_address(const struct verify *v, const struct reloc *r, const struct reloc *q)
{
	uint32_t sec, nsec;
	uint64_t x, y;
	if (q->type != r->type)
		return false;
	if (!place_of(v->a, r, 0, &sec, &x) || !text_at(v, sec))
		return q->sym == r->sym && q->addend == r->addend;
	return place_of(v->b, q, 0, &nsec, &y) && same_place(v, sec, x, nsec, y, USE_ENTER);
}

bool same_addresses(const struct verify *v, const struct section *a, uint64_t from, uint64_t to,
	const struct section *b, uint64_t nfrom)
{
	uint32_t i = section_first_reloc(a, from), k = section_first_reloc(b, nfrom);
	for (; i < a->nrel && a->rel[i].off < to; i++, k++)
		if (k == b->nrel || b->rel[k].off - nfrom != a->rel[i].off - from ||
			!same_address(v, &a->rel[i], &b->rel[k]))
			return false;
	return k == b->nrel || b->rel[k].off - nfrom >= to - from;
}

bool read_unit_length(struct reader *r, uint64_t *end, bool *wide)
{
	uint64_t len = read_u32(r);
	*wide = len == UINT32_MAX;
	if (*wide)
		len = read_u64(r);
	*end = reader_at(r) + len;
	return !r->bad && len <= (uint64_t)(r->end - r->p);
}

bool indexed_place(const struct object *o, const struct bases *b, uint64_t index, struct vbase *p)
{
	if (!b->addr.sec || index > UINT32_MAX)
		return false;
	struct side s = side_make(o, &o->sec.v[b->addr.sec]);
	return side_place(&s, b->addr.off + index * o->word, p);
}

int cmp_vunit(const void *pa, const void *pb)
{
	const struct vunit *a = pa, *b = pb;
	if (a->sec != b->sec)
		return a->sec < b->sec ? -1 : 1;
	return a->old < b->old ? -1 : a->old > b->old;
}

bool same_unit(const struct verify *v, const struct vbase *x, const struct vbase *y)
{
	struct vunit key = {.sec = x->sec, .old = x->off};
	const struct vunit *u =
		v->unit.n ? bsearch(&key, v->unit.v, v->unit.n, sizeof key, cmp_vunit) : NULL;
	if (v->pair[x->sec] != y->sec)
		return false;
	if (u)
		return u->new == y->off;
	/* where the section's size changed, a place that is no unit's start may be anywhere */
	return x->off == y->off || v->a->sec.v[x->sec].size != v->b->sec.v[y->sec].size;
}
