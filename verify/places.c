/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.c - where something is in the old and the new code
 */
#include "verify/halves.h"
#include "verify/places.h"

uint32_t insn_at(const struct verify *v, const struct vtext *t, uint64_t x)
{
	uint32_t lo = t->first, hi = t->first + t->n;
	if (x >= t->a->size)
		return hi;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (v->insn.v[mid].off <= x)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

bool place_of(const struct object *o, const struct reloc *r, int64_t adj, uint32_t *sec,
	uint64_t *off)
{
	uint64_t symoff;
	const struct section *s = reloc_target(o, r, &symoff);
	if (!s)
		return false;
	*sec = s->index;
	*off = symoff + (uint64_t)r->addend + (uint64_t)adj;
	return true;
}

void describe_change(const struct verify *v, const struct vtext *t, const struct insn *in,
	regset set, struct operation *op)
{
	struct insn part[INSN_PARTS];
	unsigned k = vparts(v, t, in, part) - 1;
	if (k && !(insn_effects(&part[k])->clobbers & set))
		k--;
	v->target->describe(v->decoder, t->a->data + part[k].off, &part[k], op);
}

const struct reloc *insn_reloc(const struct vtext *t, const struct insn *in, unsigned off)
{
	const struct section *s = t->a;
	uint64_t at = in->off + off;
	uint32_t i = section_first_reloc(s, at);
	while (i < s->nrel && s->rel[i].off == at && s->rel[i].type == R_NONE)
		i++;
	return i < s->nrel && s->rel[i].off == at ? &s->rel[i] : NULL;
}

bool is_difference(const struct verify *v, const struct section *s, const struct reloc *r)
{
	uint64_t off;
	return v->target->reloc_info(r->type)->term == TERM_ADD && r + 1 < s->rel + s->nrel &&
		r[1].off == r->off && v->target->reloc_info(r[1].type)->term == TERM_SUB &&
		reloc_target(v->a, r + 1, &off) == s;
}

const struct reloc *whole_reloc(const struct verify *v, const struct reloc *r)
{
	uint64_t at = 0;
	const struct section *s = v->target->reloc_info(r->type)->role == ROLE_PART
		? reloc_target(v->a, r, &at)
		: NULL;
	if (!s)
		return r;
	for (uint32_t i = section_first_reloc(s, at); i < s->nrel && s->rel[i].off == at; i++)
		if (v->target->reloc_info(s->rel[i].type)->size)
			return &s->rel[i];
	return r;
}

int64_t field_end(const struct verify *v, const struct reloc *r, uint64_t end)
{
	bool relative = v->target->reloc_info(r->type)->role == ROLE_PCREL;
	return relative && !v->target->form->at_field ? (int64_t)(end - r->off) : 0;
}

bool is_pc_relative(const struct verify *v, const struct reloc *r)
{
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	return role == ROLE_PCREL || role == ROLE_PLT;
}

bool new_target(const struct verify *v, const struct vtext *t, uint32_t k, uint32_t *sec,
	uint64_t *y)
{
	const struct insn *in = &v->insn.v[k];
	const struct section *b = t->b;
	uint64_t at = t->hi[k - t->first];
	uint32_t i = section_first_reloc(b, at + in->pc_off);
	*sec = b->index;
	*y = at + (uint64_t)v->target->form->distance(in, b->data + at, in->len);
	if (i == b->nrel || b->rel[i].off != at + in->pc_off)
		return true;
	return is_pc_relative(v, &b->rel[i]) &&
		place_of(v->b, &b->rel[i], insn_field_origin(v->target, in, in->len), sec, y);
}

bool insn_target(const struct verify *v, const struct vtext *t, const struct insn *in,
	const struct reloc *rel, uint32_t *sec, uint64_t *x)
{
	if (rel) {
		enum reloc_role role = v->target->reloc_info(rel->type)->role;
		return (role == ROLE_PCREL || role == ROLE_PLT) &&
			place_of(v->a, rel, insn_field_origin(v->target, in, in->len), sec, x);
	}
	*sec = t->a->index;
	*x = in->off + (uint64_t)v->target->form->distance(in, t->a->data + in->off, in->len);
	return true;
}

bool lists_places(const struct section *s)
{
	return !strcmp(s->name, "__patchable_function_entries") ||
		!strcmp(s->name, ".kcfi_traps") || !strcmp(s->name, "__mcount_loc");
}

bool is_high(const struct verify *v, const struct reloc *r)
{
	const struct reloc_info *info = v->target->reloc_info(r->type);
	return info->high &&
		(info->role != ROLE_GOT || symbol_bind(&v->a->sym.v[r->sym]) == STB_LOCAL);
}

static const struct vrun *run_of(const struct vtext *t, uint32_t k)
{
	uint32_t i;
	BISECT(i, 1, t->nrun, t->run[i].first <= k);
	return &t->run[i - 1];
}

bool follows_run(const struct vtext *t, uint32_t k, const struct vrun **before)
{
	const struct vrun *r = run_of(t, k);
	*before = r - 1;
	return r > t->run && r->first == k;
}

uint32_t new_end(const struct vtext *t, uint32_t k)
{
	const struct vrun *before;
	return follows_run(t, k + 1, &before) ? before->end : t->lo[k + 1 - t->first];
}

bool run_behind(const struct verify *v, const struct vtext *t, uint64_t x, uint64_t *start)
{
	uint32_t i;
	BISECT(i, 1, t->nrun, v->insn.v[t->run[i].first].off <= x);
	if (i < t->nrun)
		*start = v->insn.v[t->run[i].first].off;
	return i < t->nrun;
}

bool same_runs(const struct verify *v, uint32_t sec, uint64_t x, uint64_t end, uint64_t y,
	uint64_t nend)
{
	const struct vtext *t = text_at(v, sec);
	for (uint32_t i = 1; t && i < t->nrun; i++) {
		uint64_t old = v->insn.v[t->run[i].first].off, new = t->run[i].start;
		if (old != x && (old > x && old < end) != (new > y &&new < nend))
			return false;
	}
	return true;
}

bool same_relocs(const struct section *a, uint64_t from, uint64_t to, const struct section *b,
	uint64_t nfrom)
{
	uint32_t i = section_first_reloc(a, from), k = section_first_reloc(b, nfrom);
	for (; i < a->nrel && a->rel[i].off < to; i++) {
		if (!a->rel[i].type)
			continue; /* R_*_NONE may be dropped */
		while (k < b->nrel && !b->rel[k].type)
			k++;
		if (k >= b->nrel || b->rel[k].off - nfrom != a->rel[i].off - from ||
			b->rel[k].type != a->rel[i].type || b->rel[k].sym != a->rel[i].sym ||
			b->rel[k].addend != a->rel[i].addend)
			return false;
		k++;
	}
	while (k < b->nrel && !b->rel[k].type)
		k++;
	return k == b->nrel || b->rel[k].off - nfrom >= to - from;
}

int vbase_cmp(const void *pa, const void *pb)
{
	const struct vbase *a = pa, *b = pb;
	if (a->sec != b->sec)
		return a->sec < b->sec ? -1 : 1;
	return a->off < b->off ? -1 : a->off > b->off;
}

bool data_named(const struct verify *v, const struct reloc *r, struct vbase *base)
{
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	/* that of an instruction which ends in the field */
	int64_t origin = v->target->form->at_field ? 0 : FIELD;
	int64_t adj = role == ROLE_PCREL ? origin : 0;
	if ((role != ROLE_PCREL && role != ROLE_ABS) ||
		!place_of(v->a, r, adj, &base->sec, &base->off))
		return false;
	return !section_is_code(&v->a->sec.v[base->sec]);
}

bool refers_to(const struct verify *v, const struct reloc *r, struct vbase *base)
{
	return data_named(v, r, base) && v->a->sec.v[base->sec].nrel;
}

bool table_base(const struct verify *v, const struct section *s, uint64_t off, uint64_t *base)
{
	struct vbase key = {s->index, off};
	size_t i;
	BISECT(i, 0, v->base.n, vbase_cmp(&v->base.v[i], &key) <= 0);
	if (!i || v->base.v[i - 1].sec != s->index)
		return false;
	*base = v->base.v[i - 1].off;
	return true;
}

const struct symbol *next_name(const struct verify *v, const struct vtext *t, uint64_t x,
	const struct symbol *s)
{
	size_t i = s ? (size_t)(s - v->name.v) + 1 : 0;
	if (!s)
		BISECT(i, 0, v->name.n,
			v->name.v[i].sec < t->a->index ||
				(v->name.v[i].sec == t->a->index && v->name.v[i].value < x));
	return i < v->name.n && v->name.v[i].sec == t->a->index && v->name.v[i].value == x
		? &v->name.v[i]
		: NULL;
}

bool is_boundary(const struct verify *v, uint32_t sec, uint64_t x)
{
	const struct vtext *t = text_at(v, sec);
	if (!t || x > t->a->size)
		return false;
	uint32_t k = insn_at(v, t, x);
	return k == t->first + t->n || v->insn.v[k].off == x;
}

bool is_new_label(const struct verify *v, const struct reloc *q)
{
	return q->sym >= v->a->sym.n && !strcmp(v->b->sym.v[q->sym].name, LABEL_NAME);
}

bool same_bytes(const struct section *a, const struct section *b)
{
	return a->size == b->size && (!a->data || (b->data && !memcmp(a->data, b->data, a->size)));
}

bool same_range(const struct verify *v, const struct section *a, uint64_t from, uint64_t n,
	const struct section *b, uint64_t nfrom)
{
	const uint8_t *p = a->data + from, *q = b->data + nfrom;
	uint64_t at = 0;
	uint32_t i = v->a->sec.v[a->rela].type == SHT_REL ? section_first_reloc(a, from) : a->nrel;
	for (; i < a->nrel && a->rel[i].off < from + n; i++) {
		const struct reloc_info *info = v->target->reloc_info(a->rel[i].type);
		uint64_t off = a->rel[i].off - from;
		if (!info->bits || off < at || off + info->size > n)
			continue;
		uint64_t changed = get_word(p + off, info->size, v->a->big) ^
			get_word(q + off, info->size, v->a->big);
		if (memcmp(p + at, q + at, off - at) != 0 ||
			changed & ~(UINT64_MAX >> (64 - info->bits)))
			return false;
		at = off + info->size;
	}
	return !memcmp(p + at, q + at, n - at);
}
