/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.c - debug information: the formats' table, comparison of places, .debug_aranges
 */
#include "verify/debug.h"

#include "reloc/fix.h"

#include <stdlib.h>

/* Places ---------------------------------------------------------------- */

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
	/* before .debug_info, which refers to them */
	{".debug_line", verify_lines},
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

void verify_debug(struct verify *v)
{
	if (nothing_changed(v))
		return;
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
