/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.c - debug information: the formats' table, comparison of places, .debug_aranges
 */
#include "verify/debug.h"
#include "verify/image.h"
#include "verify/passes.h"
#include "verify/places.h"

#include "reloc/fix.h"

#include <stdlib.h>

/* Places ---------------------------------------------------------------- */

static bool same_section(const struct section *a, const struct section *b)
{
	return same_bytes(a, b) && same_relocs(a, 0, a->size, b, 0);
}

static bool code_moved(const struct verify *v)
{
	for (size_t i = 0; i < v->text.n; i++)
		if (!same_section(v->text.v[i].a, v->text.v[i].b))
			return true;
	return false;
}

/* .debug_aranges -------------------------------------------------------- */

static void verify_aranges(struct verify *v, const struct section *a, const struct section *b)
{
	struct side sa = side_make(v->a, a), sb = side_make(v->b, b);
	struct reader *r = &sa.r;
	unsigned word = v->a->word, pair = 2 * word;
	if (a->size != b->size) {
		vfail(v, a, 0, "another size now");
		return;
	}
	while (r->p < r->end) {
		uint64_t start = reader_at(r), same = start, end;
		bool wide;
		if (!read_unit_length(r, &end, &wide))
			return;
		struct vbase ua, ub;
		uint64_t unit = reader_at(r) + 2;
		if (side_place(&sa, unit, &ua) &&
			(!side_place(&sb, unit, &ub) || !same_unit(v, &ua, &ub)))
			vfail(v, a, unit, "belongs to another unit now");
		read_skip(r, wide ? 12 : 8);
		read_skip(r, (pair - (reader_at(r) - start) % pair) % pair);
		while (!r->bad && reader_at(r) + pair <= end) {
			struct vbase x, y;
			uint64_t at = reader_at(r);
			read_skip(r, pair);
			if (!side_place(&sa, at, &x))
				continue;
			bool code = text_at(v, x.sec);
			/* an address in a section whose size changed may be any */
			if (!code && v->a->sec.v[x.sec].size == v->b->sec.v[v->pair[x.sec]].size)
				continue;
			uint64_t n = get_word(a->data + at + word, word, v->a->big),
				 m = get_word(b->data + at + word, word, v->a->big);
			v->nrange++;
			if (!same_range(v, a, same, at - same, b, same))
				vfail(v, a, same, "another header or address now");
			same = at + pair;
			if (!code)
				v->unproved++;
			else if (!side_place(&sb, at, &y) || !n != !m ||
				!same_spot(v, x.sec, x.off, y.sec, y.off, USE_ROW) ||
				(n &&
					!same_spot(v, x.sec, x.off + n, y.sec, y.off + m,
						USE_PAST)) ||
				!same_runs(v, x.sec, x.off, x.off + n, y.off, y.off + m))
				vfail(v, a, at, "the address range is another one now");
		}
		if (!same_range(v, a, same, end - same, b, same))
			vfail(v, a, same, "another header or address now");
		r->p = r->start + end;
	}
}

/* Sections -------------------------------------------------------------- */

typedef void verify_fn(struct verify *v, const struct section *a, const struct section *b);
static const struct format {
	const char *name;
	verify_fn
		*verify; /* NULL: lists, which are checked where they are referred to, and others */
} formats[] = {
	/* all sections at once, by verify_lines() */
	{".debug_line", NULL},
	{".debug_info", verify_info},
	{".debug_aranges", verify_aranges},
	{".sframe", verify_sframe},
	{".llvm_bb_addr_map", verify_bb_addr_map},
	/* all sections at once, by verify_debug_frame() */
	{".debug_frame", NULL},
	{".debug_loc", NULL},
	{".debug_loclists", verify_headers},
	{".debug_ranges", NULL},
	{".debug_rnglists", verify_headers},
	{".debug_addr", NULL},
};
enum { NFORMATS = sizeof formats / sizeof *formats };

bool is_debug_format(const struct section *s)
{
	/* A loaded section of such a name is data, except .sframe, which is always loaded. */
	if ((s->flags & SHF_ALLOC) && strcmp(s->name, ".sframe") != 0)
		return false;
	for (int i = 0; i < NFORMATS; i++)
		if (!strcmp(s->name, formats[i].name))
			return true;
	return false;
}

/* If neither code nor debug information changed, there is nothing to check, valid or not. */
static bool nothing_changed(struct verify *v)
{
	uint64_t same = 0;
	for (uint32_t i = 1; i < v->a->sec.n; i++) {
		const struct section *a = &v->a->sec.v[i], *b = &v->b->sec.v[v->pair[i]];
		if (!v->pair[i] || !is_debug_format(a))
			continue;
		if (!same_section(a, b))
			return false;
		same++;
	}
	if (code_moved(v))
		return false;
	v->ndata += same;
	return true;
}

/* Nothing is said of debug information without a reader. */
static void skip_all(struct verify *v)
{
	for (uint32_t i = 1; i < v->a->sec.n; i++)
		v->nskipped += v->pair[i] && is_debug_format(&v->a->sec.v[i]);
}

void verify_debug(struct verify *v)
{
	if (nothing_changed(v))
		return;
	if (!v->opt.dwarf) {
		skip_all(v);
		return;
	}
	struct addresses l;
	addresses_make(&l, v);
	verify_lines(v, &l);
	sort(v->unit.v, v->unit.n, sizeof *v->unit.v, cmp_vunit);
	addresses_free(&l);
	for (int k = 0; k < NFORMATS; k++) {
		for (uint32_t i = 1; i < v->a->sec.n; i++) {
			const struct section *a = &v->a->sec.v[i], *b = &v->b->sec.v[v->pair[i]];
			if (v->pair[i] && is_debug_format(a) && !strcmp(a->name, formats[k].name) &&
				formats[k].verify)
				formats[k].verify(v, a, b);
		}
		sort(v->unit.v, v->unit.n, sizeof *v->unit.v, cmp_vunit);
	}
	vec_free(&v->unit);
	verify_debug_frame(v);
}
