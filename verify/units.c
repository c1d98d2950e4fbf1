/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units.c - places that only describe code
 */
#include "verify/debug.h"
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/sites.h"

#include "reloc/fix.h"

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
