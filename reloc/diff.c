/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - distances in code that the last link makes shorter; see diff.h
 */
#include "reloc/diff.h"

#include <stdlib.h>

enum { WIDTHS = 6, MAX_TYPE = 255 };

struct term_types {
	uint32_t type[TERM_SUB + 1][WIDTHS]; /* 0: there is none */
};

static unsigned width_of(unsigned bits)
{
	unsigned k = 2;
	if (bits < 8)
		return bits ? 1 : 0;
	for (; bits > 8; bits /= 2)
		k++;
	return k;
}

void diff_find_types(struct object *o)
{
	struct term_types *t = NULL;
	for (uint32_t i = 1; i <= MAX_TYPE; i++) {
		const struct reloc_info *info = o->reloc_info(i);
		if (!info->name || !info->term)
			continue;
		if (!t)
			t = arena_new(o->arena, struct term_types);
		t->type[info->term][width_of(info->bits)] = i;
	}
	o->terms = t;
}

/* Folding ---------------------------------------------------------------- */

/* The codecs read and write them. */
static bool is_metadata(const struct section *s)
{
	return !(s->flags & SHF_ALLOC) || !strcmp(s->name, ".eh_frame") ||
		!strncmp(s->name, ".gcc_except_table", 17);
}

static uint64_t leb_size(const struct section *s, uint64_t off)
{
	uint64_t end = off;
	while (end < s->size && s->data[end] & 0x80)
		end++;
	return end < s->size ? end + 1 - off : 0;
}

/* Write x into the field of n bytes at p.  False: it does not fit. */
static bool put_leb(uint8_t *p, uint64_t n, uint64_t x)
{
	if (!n || n > 10 || (n < 10 && x >> 7 * n))
		return false;
	for (uint64_t i = 0; i < n; i++, x >>= 7)
		p[i] = (uint8_t)((x & 0x7f) | (i + 1 < n ? 0x80 : 0));
	return true;
}

static bool put_field(const struct object *o, const struct section *s, uint8_t *data,
	const struct reloc *r, uint64_t x)
{
	const struct reloc_info *info = o->reloc_info(r->type);
	uint8_t *p = data + r->off;
	uint64_t keep = ~(UINT64_MAX >> (64 - (info->bits ? info->bits : 64)));
	if (!info->bits)
		return put_leb(p, leb_size(s, r->off), x);
	if (x & keep && (x | ~keep) != UINT64_MAX)
		return false;
	put_word(p, info->size, o->big, (get_word(p, info->size, o->big) & keep) | (x & ~keep));
	return true;
}

/* Put the difference of r and the next relocation into data.  False: that is not known. */
static bool fold(const struct object *o, const struct section *s, uint8_t *data,
	const struct reloc *r, const struct reloc *end)
{
	const struct reloc_info *info = o->reloc_info(r->type);
	uint64_t plus, minus, old = 0;
	if ((info->term != TERM_SET && info->term != TERM_ADD) || r + 1 == end ||
		r[1].off != r->off || o->reloc_info(r[1].type)->term != TERM_SUB ||
		o->reloc_info(r[1].type)->bits != info->bits)
		return false;
	const struct section *t = reloc_target(o, r, &plus);
	if (!t || t != reloc_target(o, r + 1, &minus))
		return false;
	if (info->term == TERM_ADD)
		old = get_word(s->data + r->off, info->size, o->big);
	return put_field(o, s, data, r,
		old + plus + (uint64_t)r->addend - minus - (uint64_t)r[1].addend);
}

void diff_fold(const struct object *o, struct section *s, struct arena *a)
{
	if (!is_metadata(s) || (s->flags & SHF_COMPRESSED) || !s->data)
		return;
	struct as_read *was = arena_new(a, struct as_read);
	struct reloc *rel = arena_array(a, struct reloc, s->nrel);
	uint8_t *data = arena_array(a, uint8_t, s->size);
	uint32_t n = 0;
	memcpy(data, s->data, s->size);
	*was = (struct as_read){.data = s->data, .rel = s->rel, .order = s->order, .nrel = s->nrel};
	for (const struct reloc *r = s->rel, *end = r + s->nrel; r < end; r++) {
		if (fold(o, s, data, r, end))
			r++;
		else
			rel[n++] = *r;
	}
	s->as_read = was;
	s->data = data;
	s->rel = rel;
	s->order = NULL;
	s->nrel = n;
}

/* Writing ---------------------------------------------------------------- */

bool diff_shrinks(const struct object *o, const struct section *code, uint64_t from, uint64_t to)
{
	const struct reloc *r = code->out_rel;
	uint32_t i, n = code->relaxes && from < to ? code->out_nrel : 0;
	BISECT(i, 0, n, r[i].off < from);
	for (; i < n && r[i].off < to; i++)
		if (o->reloc_info(r[i].type)->relax)
			return true;
	return false;
}

bool diff_relocs(const struct object *o, const struct section *code, uint64_t from, uint64_t to,
	unsigned bits, uint64_t off, struct reloc out[2], bool *zero)
{
	*zero = false;
	if (!diff_shrinks(o, code, from, to))
		return false;
	const struct term_types *t = o->terms;
	unsigned w = width_of(bits);
	uint32_t set = t->type[TERM_SET][w], add = t->type[TERM_ADD][w], sub = t->type[TERM_SUB][w];
	if (!sub || (!set && !add))
		fatal_at(code, 0, "no relocations for a distance of %u bits", bits);
	*zero = !set;
	out[0] = (struct reloc){.off = off,
		.type = set ? set : add,
		.sym = object_label(o, code->index, to)};
	out[1] = (struct reloc){.off = off, .type = sub, .sym = object_label(o, code->index, from)};
	return true;
}
