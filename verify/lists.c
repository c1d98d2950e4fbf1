/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists.c - range and location lists
 *
 * DWARF 5, sections 7.7.3 and 7.25; DWARF 4, sections 2.6.2 and 2.17.3.
 */
#include "verify/debug.h"
#include "verify/places.h"

/* The meaning of an entry, in every format. */
enum meaning { MEANS_END, MEANS_BASE, MEANS_RANGE, MEANS_DEFAULT, MEANS_NOTHING, MEANS_BAD };

struct list {
	struct side s;
	struct bases bases;
	struct vbase base; /* sec 0: offsets are addresses */
	bool loc, old;
	/* the current entry */
	struct vbase from, to;
	uint64_t expr, expr_end;
};

static bool name_is(const struct section *s, const char *name)
{
	return !strcmp(s->name, name);
}

bool is_list_section(const struct section *s)
{
	return name_is(s, ".debug_loc") || name_is(s, ".debug_loclists") ||
		name_is(s, ".debug_ranges") || name_is(s, ".debug_rnglists");
}

static struct list open_list(const struct object *o, const struct vbase *at,
	const struct bases *bases)
{
	const struct section *s = &o->sec.v[at->sec];
	struct list l = {.s = side_make(o, s), .bases = *bases, .base = bases->low};
	l.loc = name_is(s, ".debug_loc") || name_is(s, ".debug_loclists");
	l.old = name_is(s, ".debug_loc") || name_is(s, ".debug_ranges");
	read_skip(&l.s.r, at->off);
	return l;
}

/* An address, relocated or not. */
static struct vbase read_address(struct list *l)
{
	struct vbase p;
	uint64_t at = reader_at(&l->s.r), x = read_word(&l->s.r, l->s.o->word);
	return side_place(&l->s, at, &p) ? p : (struct vbase){0, x};
}

static struct vbase read_indexed(struct list *l)
{
	struct vbase p = {0, read_uleb(&l->s.r)};
	struct vbase to;
	return indexed_place(l->s.o, &l->bases, p.off, &to) ? to : p;
}

static struct vbase behind(struct vbase p, uint64_t n)
{
	p.off += n;
	return p;
}

/* Is the address one of discarded code, whose relocation refers to no section? */
static bool says_nothing(const struct list *l, uint64_t off)
{
	const struct section *s = l->s.s;
	uint32_t i = section_first_reloc(s, off);
	return i < s->nrel && s->rel[i].off <= off + l->s.o->word && !s->rel[i].type;
}

static enum meaning old_entry(struct list *l)
{
	uint64_t at = reader_at(&l->s.r);
	l->from = read_address(l);
	l->to = read_address(l);
	if (!l->from.sec && l->from.off == UINT64_MAX >> (64 - 8 * l->s.o->word)) {
		l->base = l->to;
		return MEANS_BASE;
	}
	if (l->from.sec || l->to.sec)
		return MEANS_RANGE;
	if (!l->from.off && !l->to.off && !says_nothing(l, at))
		return MEANS_END;
	if (says_nothing(l, at))
		return MEANS_RANGE;
	l->from = behind(l->base, l->from.off);
	l->to = behind(l->base, l->to.off);
	return MEANS_RANGE;
}

/* The kinds of ranges are numbered as those of locations, but for DW_LLE_default_location. */
static enum meaning new_entry(struct list *l)
{
	struct reader *r = &l->s.r;
	unsigned kind = read_u8(r);
	uint64_t from;
	if (!l->loc && kind >= 5)
		kind++;
	switch (kind) {
	case 0: return MEANS_END;
	case 1: l->base = read_indexed(l); return MEANS_BASE;
	case 2:
		l->from = read_indexed(l);
		l->to = read_indexed(l);
		return MEANS_RANGE;
	case 3:
		l->from = read_indexed(l);
		l->to = behind(l->from, read_uleb(r));
		return MEANS_RANGE;
	case 4:
		from = read_uleb(r);
		l->from = behind(l->base, from);
		l->to = behind(l->base, read_uleb(r));
		return MEANS_RANGE;
	case 5: return MEANS_DEFAULT;
	case 6: l->base = read_address(l); return MEANS_BASE;
	case 7:
		l->from = read_address(l);
		l->to = read_address(l);
		return MEANS_RANGE;
	case 8:
		l->from = read_address(l);
		l->to = behind(l->from, read_uleb(r));
		return MEANS_RANGE;
	case 9:
		read_uleb(r);
		read_uleb(r);
		return MEANS_NOTHING;
	default: return MEANS_BAD;
	}
}

static enum meaning next_entry(struct list *l)
{
	struct reader *r = &l->s.r;
	enum meaning m = l->old ? old_entry(l) : new_entry(l);
	l->expr = l->expr_end = reader_at(r);
	if (l->loc && (m == MEANS_RANGE || m == MEANS_DEFAULT)) {
		uint64_t n = l->old ? read_u16(r) : read_uleb(r);
		l->expr = reader_at(r);
		read_skip(r, n);
		l->expr_end = reader_at(r);
	}
	return r->bad ? MEANS_BAD : m;
}

static void check_expr(struct verify *v, const struct list *a, const struct list *b, uint64_t at)
{
	uint64_t n = a->expr_end - a->expr;
	if (b->expr_end - b->expr != n || !same_range(v, a->s.s, a->expr, n, b->s.s, b->expr))
		vfail(v, a->s.s, at, "the range has another location now");
	else if (!same_addresses(v, a->s.s, a->expr, a->expr_end, b->s.s, b->expr))
		v->unproved++;
}

static bool in_code(const struct verify *v, const struct vbase *p)
{
	return p->sec && text_at(v, p->sec);
}

static void check_range(struct verify *v, const struct list *a, const struct list *b, uint64_t at)
{
	const struct vbase *x = &a->from, *y = &b->from;
	bool empty = x->sec == a->to.sec && x->off >= a->to.off;
	bool nempty = y->sec == b->to.sec && y->off == b->to.off;
	v->nrange++;
	/* Ranges of discarded code have no place and do not matter. */
	if (!in_code(v, x) || !in_code(v, &a->to) || (empty && nempty))
		return;
	/* a range of no-ops only may be empty now; its ends are checked all the same */
	if (empty || !same_runs(v, x->sec, x->off, a->to.off, y->off, b->to.off) ||
		x->sec != a->to.sec || y->sec != b->to.sec ||
		(!same_spot(v, x->sec, x->off, y->sec, y->off, USE_ROW) &&
			!(a->loc && same_spot(v, x->sec, x->off, y->sec, y->off, USE_END))) ||
		!same_spot(v, x->sec, a->to.off, y->sec, b->to.off, a->loc ? USE_END : USE_PAST))
		vfail(v, a->s.s, at,
			"the range 0x%llx..0x%llx of %s is 0x%llx..0x%llx now, "
			"which is another one",
			(unsigned long long)x->off, (unsigned long long)a->to.off,
			v->a->sec.v[x->sec].name, (unsigned long long)y->off,
			(unsigned long long)b->to.off);
	check_expr(v, a, b, at);
}

void verify_list(struct verify *v, const struct vbase *pa, const struct bases *ba,
	const struct vbase *pb, const struct bases *bb)
{
	struct list a = open_list(v->a, pa, ba), b = open_list(v->b, pb, bb);
	if (v->pair[pa->sec] != pb->sec) {
		vfail(v, a.s.s, pa->off, "refers to a list of another section now");
		return;
	}
	for (;;) {
		uint64_t at = reader_at(&a.s.r);
		enum meaning m = next_entry(&a), n = next_entry(&b);
		if (m != n || m == MEANS_BAD) {
			vfail(v, a.s.s, at, "the list has other entries now");
			return;
		}
		if (m == MEANS_END)
			return;
		if (m == MEANS_RANGE)
			check_range(v, &a, &b, at);
	}
}

/* Behind the unit's length: version, sizes of address and segment, number of offsets. */
void verify_headers(struct verify *v, const struct section *sa, const struct section *sb)
{
	enum { HEADER = 8 };
	struct side a = side_make(v->a, sa), b = side_make(v->b, sb);
	while (a.r.p < a.r.end || b.r.p < b.r.end) {
		uint64_t start = reader_at(&a.r), end, nend;
		bool wide, nwide;
		if (!read_unit_length(&a.r, &end, &wide))
			return;
		const uint8_t *head = a.r.p, *nhead = b.r.p + (wide ? 12 : 4);
		if (!read_unit_length(&b.r, &nend, &nwide) || wide != nwide ||
			end - reader_at(&a.r) < HEADER || nend - reader_at(&b.r) < HEADER ||
			memcmp(head, nhead, HEADER) != 0) {
			vfail(v, sa, start, "the unit of lists has another header now");
			return;
		}
		a.r.p = a.r.start + end;
		b.r.p = b.r.start + nend;
	}
}
