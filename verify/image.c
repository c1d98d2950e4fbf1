/* SPDX-License-Identifier: Apache-2.0 */
/* image.c - sections of debug information as a linker joins them: see image.h */
#include "verify/image.h"

#include "verify/debug.h"
#include "verify/places.h"

#include <stdlib.h>

/*
 * Between sections, so that a place behind one, or in front of it, is not in another, as long as
 * all are within reach of each other; between symbols without an address.  The first address is
 * none that a field without a relocation has.
 */
enum { GAP_LEAST = 1 << 12, GAP_MOST = 1 << 20, GAPS = 1 << 30, STEP = 1 << 4, FIRST = 1 << 28 };
static const uint64_t FIRST_WIDE = UINT64_C(1) << 40;

static const struct object *object_of(const struct verify *v, enum age age)
{
	return age == OLD ? v->a : v->b;
}

static uint64_t size_of(const struct verify *v, uint32_t i)
{
	uint64_t a = v->a->sec.v[i].size, b = v->b->sec.v[v->pair[i]].size;
	return a > b ? a : b;
}

static void lay_out_loaded(struct addresses *l, uint64_t at)
{
	const struct verify *v = l->v;
	for (uint32_t i = 1; i < v->a->sec.n; i++) {
		if (!(v->a->sec.v[i].flags & SHF_ALLOC))
			continue;
		l->base[OLD][i] = l->base[NEW][v->pair[i]] = at;
		vec_push(&l->loaded, (struct laid){at, i});
		at += size_of(v, i) + l->gap;
	}
	l->undefined = at;
}

/* The sections of each name begin at offset 0 of their image. */
static void lay_out_others(struct addresses *l, enum age age)
{
	const struct verify *v = l->v;
	struct strmap ends = {0};
	for (uint32_t i = 1; i < v->a->sec.n; i++) {
		if (!v->pair[i] || (v->a->sec.v[i].flags & SHF_ALLOC))
			continue;
		uint32_t sec = age == OLD ? i : v->pair[i];
		const struct section *s = &object_of(v, age)->sec.v[sec];
		uint64_t *end = strmap_slot(&ends, s->name);
		l->base[age][sec] = *end;
		*end += s->size;
	}
	strmap_free(&ends);
}

void addresses_make(struct addresses *l, const struct verify *v)
{
	uint64_t gap = GAPS / v->a->sec.n & ~(uint64_t)(GAP_LEAST - 1);
	*l = (struct addresses){.v = v};
	l->gap = gap < GAP_LEAST ? GAP_LEAST : gap > GAP_MOST ? GAP_MOST : gap;
	l->base[OLD] = vec_grow(NULL, &(size_t){0}, v->a->sec.n, sizeof **l->base);
	l->base[NEW] = vec_grow(NULL, &(size_t){0}, v->b->sec.n, sizeof **l->base);
	lay_out_loaded(l, v->a->word == 8 ? FIRST_WIDE : FIRST);
	lay_out_others(l, OLD);
	lay_out_others(l, NEW);
}

void addresses_free(struct addresses *l)
{
	free(l->base[OLD]);
	free(l->base[NEW]);
	vec_free(&l->loaded);
}

bool addresses_place(const struct addresses *l, enum age age, uint64_t address, struct vbase *p)
{
	size_t i;
	BISECT(i, 0, l->loaded.n, l->loaded.v[i].base - l->gap / 2 <= address);
	if (!i || address >= l->undefined - l->gap / 2)
		return false;
	const struct laid *s = &l->loaded.v[i - 1];
	*p = (struct vbase){age == OLD ? s->sec : l->v->pair[s->sec], address - s->base};
	return p->sec;
}

/* Images ---------------------------------------------------------------- */

/* Is this section in the same address space as one that refers to it? */
static bool is_beside(const struct section *from, const struct section *s)
{
	return s->flags & SHF_ALLOC || !(from->flags & SHF_ALLOC);
}

static uint64_t address_of(const struct addresses *l, enum age age, const struct section *from,
	const struct reloc *r)
{
	const struct object *o = object_of(l->v, age);
	const struct symbol *s = &o->sym.v[r->sym];
	enum reloc_role role = l->v->target->reloc_info(r->type)->role;
	bool place = role == ROLE_ABS || role == ROLE_PCREL || role == ROLE_PLT || role == ROLE_SUB;
	if (place && s->sec == SEC_ABS)
		return s->value;
	if (place && s->sec && s->sec < o->sec.n && is_beside(from, &o->sec.v[s->sec]))
		return l->base[age][s->sec] + s->value;
	return l->undefined + (uint64_t)r->sym * STEP;
}

/*
 * What a relocation at an address puts into its field.  One of discarded code has no type.  Its
 * address must not end a list of ranges, so it is what LLD takes.
 */
static bool value_of(const struct addresses *l, enum age age, const struct section *s,
	const struct reloc *r, uint64_t address, uint64_t *x)
{
	if (!r->type) {
		*x = 1;
		return !strcmp(s->name, ".debug_ranges") || !strcmp(s->name, ".debug_loc");
	}
	*x = address_of(l, age, s, r) + (uint64_t)r->addend;
	enum reloc_role role = l->v->target->reloc_info(r->type)->role;
	if (address && role != ROLE_ABS && role != ROLE_SUB)
		*x -= address;
	return true;
}

/*
 * A difference that the rewriter did not read as a number: of discarded code, where its symbol is
 * gone.  What a ULEB128 field holds stays.
 */
static void put_term(uint8_t *p, const struct reloc_info *info, bool big, uint64_t x)
{
	uint64_t mask = info->bits ? UINT64_MAX >> (64 - info->bits) : 0;
	uint64_t old = get_word(p, info->size, big);
	if (info->term != TERM_SET)
		x = info->term == TERM_ADD ? old + x : old - x;
	put_word(p, info->size, big, (old & ~mask) | (x & mask));
}

void image_copy(const struct addresses *l, enum age age, const struct section *s, uint64_t from,
	uint64_t to, uint8_t *out, uint64_t address)
{
	const struct object *o = object_of(l->v, age);
	if (from == to)
		return;
	memcpy(out, s->data + from, to - from);
	for (uint32_t i = section_first_reloc(s, from); i < s->nrel && s->rel[i].off < to; i++) {
		const struct reloc *r = &s->rel[i];
		const struct reloc_info *info = l->v->target->reloc_info(r->type);
		unsigned size = r->type ? info->size : o->word;
		uint64_t off = r->off - from, x;
		if (!size || size > 8 || size > to - r->off ||
			!value_of(l, age, s, r, address ? address + off : 0, &x))
			continue;
		if (info->term)
			put_term(out + off, info, o->big, x);
		else
			put_word(out + off, size, o->big, x);
	}
}

void image_make(struct image *m, const struct addresses *l, enum age age, const char *name)
{
	const struct verify *v = l->v;
	const struct object *o = object_of(v, age);
	*m = (struct image){.l = l, .age = age, .s.name = name};
	for (uint32_t i = 1; i < v->a->sec.n; i++) {
		const struct section *a = &v->a->sec.v[i];
		if (!v->pair[i] || (a->flags & SHF_ALLOC) || strcmp(a->name, name) != 0)
			continue;
		uint32_t sec = age == OLD ? i : v->pair[i];
		vec_push(&m->part, (struct laid){l->base[age][sec], sec});
		m->s.size += o->sec.v[sec].size;
	}
	m->s.data = m->data = vec_grow(NULL, &(size_t){0}, m->s.size + 1, 1);
	for (size_t i = 0; i < m->part.n; i++) {
		const struct section *s = &o->sec.v[m->part.v[i].sec];
		image_copy(l, age, s, 0, s->size, m->data + m->part.v[i].base, 0);
	}
}

void image_free(struct image *m)
{
	free(m->data);
	vec_free(&m->part);
}

struct vbase image_place(const struct image *m, uint64_t off)
{
	size_t i;
	BISECT(i, 1, m->part.n, m->part.v[i].base <= off);
	const struct laid *s = &m->part.v[i - 1];
	return (struct vbase){s->sec, off - s->base};
}
