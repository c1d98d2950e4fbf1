/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scaled_check.c - jump tables of scaled distances: do their new forms lead to the same labels?
 *
 * In the new code either nothing has changed, or all of it: page and name refer to a new table, and
 * load and sum read words of it.  In both cases each entry must lead to the same place.
 */
#include "verify/landing.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/tables.h"

enum { WORD = 4 }; /* bytes of an entry of a new table */

/* The new relocation at the place of instruction k, if it is of the new tables; or NULL. */
static const struct reloc *new_name(const struct verify *v, const struct vtext *t, uint32_t k)
{
	uint64_t y = t->hi[k - t->first];
	uint32_t i = section_first_reloc(t->b, y);
	const struct reloc *r = i < t->b->nrel && t->b->rel[i].off == y ? &t->b->rel[i] : NULL;
	return r && v->tables && r->sym == v->tables ? r : NULL;
}

bool same_new_name(const struct verify *v, const struct vtext *t, uint32_t a, uint32_t b)
{
	const struct reloc *x = t->broken ? NULL : new_name(v, t, a);
	const struct reloc *y = t->broken ? NULL : new_name(v, t, b);
	return x && y ? x->addend == y->addend : x == y;
}

/*
 * Do load and sum of s read words now?  *some: at least one of them has changed.  own: the load has
 * the form that reads_own() knows.
 */
static bool is_new_code(const struct verify *v, const struct vscaled *s, bool own, bool *some)
{
	const struct vtext *t = &v->text.v[s->text];
	const uint8_t *old = t->a->data, *new = t->b->data;
	uint8_t load[WORD], sum[WORD];
	const uint8_t *nload = new + t->hi[s->load - t->first],
		      *nsum = new + t->hi[s->sum - t->first];
	memcpy(load, old + v->insn.v[s->load].off, WORD);
	memcpy(sum, old + v->insn.v[s->sum].off, WORD);
	*some = memcmp(load, nload, WORD) || memcmp(sum, nsum, WORD);
	v->target->words->read_words(load, sum);
	return (own || !memcmp(load, nload, WORD)) && !memcmp(sum, nsum, WORD);
}

static bool check_entries(struct verify *v, const struct vscaled *s, const struct reloc *name)
{
	const struct vtext *t = &v->text.v[s->text];
	const struct insn *anchor = &v->insn.v[s->anchor];
	uint64_t at = t->hi[s->anchor - t->first], symoff = 0;
	uint64_t base = at +
		(uint64_t)v->target->form->distance(anchor, t->b->data + at, anchor->len);
	const struct section *data = name ? reloc_target(v->b, name, &symoff) : NULL;
	uint64_t from = data ? symoff + (uint64_t)name->addend : 0;
	bool good = !name ||
		(data && data->data && !(data->flags & SHF_WRITE) && from <= data->size &&
			(data->size - from) / WORD >= s->n);
	struct way way = entry_of(s->jump, USE_BRANCH);
	for (uint32_t k = 0; good && k < s->n; k++) {
		uint64_t x = scaled_label_of(v, s, k);
		int64_t entry = name ? (int32_t)get_u32(data->data + from + (uint64_t)k * WORD)
				     : (int64_t)(x - s->base) / s->scale;
		good = same_target(v, t->a->index, x, t->b->index,
			base + (uint64_t)(entry * s->scale), &way);
		v->ntable++;
	}
	return good;
}

static void check_scaled(struct verify *v, const struct vscaled *s)
{
	const struct vtext *t = &v->text.v[s->text];
	const struct reloc *page = new_name(v, t, s->page), *name = new_name(v, t, s->name);
	bool own = own_changes(v, t, s->load), some, all = is_new_code(v, s, own, &some);
	bool same = page ? name && page->addend == name->addend && all && !own
			 : !name && (own ? all : !some);
	if (own)
		name = new_name(v, t, s->load);
	if (t->broken || (same && check_entries(v, s, name)))
		return;
	vfail(v, t->a, v->insn.v[s->jump].off, "the table of this jump leads to other places");
}

/* Each instruction that names a new table must be part of one that was checked. */
static void check_names(struct verify *v)
{
	uint64_t *known = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	for (size_t i = 0; i < v->scaled.n; i++) {
		bit_set(known, v->scaled.v[i].page);
		bit_set(known, v->scaled.v[i].name);
		bit_set(known, v->scaled.v[i].load);
	}
	for (size_t i = 0; i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first; !t->broken && k < t->first + t->n; k++)
			if (!is_padding(&v->insn.v[k]) && new_name(v, t, k) && !bit_get(known, k))
				vfail(v, t->a, v->insn.v[k].off, "refers to a new table");
	}
}

void verify_scaled(struct verify *v)
{
	for (size_t i = 0; i < v->scaled.n; i++)
		check_scaled(v, &v->scaled.v[i]);
	if (v->tables)
		check_names(v);
}
