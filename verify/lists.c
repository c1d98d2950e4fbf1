/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists.c - range and location lists, .debug_aranges
 */
#include "verify/debug.h"
#include "verify/places.h"

static bool same_range_of(const struct debug *d, const struct vbase *x, const struct vbase *to,
	const struct vbase *y, const struct vbase *nto, bool loc)
{
	const struct verify *v = d->v;
	return x->sec == to->sec && y->sec == nto->sec &&
		same_runs(v, x->sec, x->off, to->off, y->off, nto->off) &&
		(same_spot(v, x->sec, x->off, y->sec, y->off, USE_ROW) ||
			(loc && same_spot(v, x->sec, x->off, y->sec, y->off, USE_END))) &&
		same_spot(v, x->sec, to->off, y->sec, nto->off, loc ? USE_END : USE_PAST);
}

static void check_range(struct debug *d, enum section_kind k, uint64_t at, bool loc,
	const struct dwarf_range *a, const struct dwarf_range *b)
{
	struct vbase x, to, y, nto;
	d->v->nrange++;
	/* Ranges of discarded code have no place and do not matter. */
	if (!old_code(d, a->from, &x) || !old_code(d, a->to, &to)) {
		if (!same_other(d, a->from, b->from) || !same_other(d, a->to, b->to))
			debug_fail(d, k, at,
				"a range of the list, not in code, is another one now");
		return;
	}
	bool empty = a->from >= a->to;
	if (empty && b->from == b->to)
		return;
	/* a range of no-ops only may be empty now; its ends are checked all the same */
	if (empty || !addresses_place(&d->where, NEW, b->from, &y) ||
		!addresses_place(&d->where, NEW, b->to, &nto) ||
		!same_range_of(d, &x, &to, &y, &nto, loc))
		debug_fail(d, k, at,
			arena_printf(&d->v->arena,
				"the list's range 0x%llx..0x%llx of %s is another one now",
				(unsigned long long)x.off, (unsigned long long)to.off,
				d->v->a->sec.v[x.sec].name));
}

void verify_list(struct debug *d, enum section_kind k, enum dwarf_class kind, uint64_t x,
	uint64_t y)
{
	const struct dwarf_range *a, *b;
	size_t n, m;
	bool good = d->reader->list(d->file[OLD], kind, x, &a, &n);
	if (good != d->reader->list(d->file[NEW], kind, y, &b, &m) || n != m) {
		debug_fail(d, k, x, "the list has other entries now");
		return;
	}
	d->v->unproved += !good;
	for (size_t i = 0; i < n; i++) {
		bool unproved;
		if (a[i].rest != b[i].rest ||
			!same_expr(d, a[i].data, a[i].size, b[i].data, b[i].size, &unproved))
			debug_fail(d, k, x, "a range of the list has another location now");
		else if (!a[i].rest)
			check_range(d, k, x, kind == DWARF_LOCATIONS, &a[i], &b[i]);
		d->v->unproved += unproved;
	}
}

/* Are the headers equal but for the length, and n bytes from skip on? */
static bool same_head(const struct image *a, const struct dwarf_set *x, const struct image *b,
	const struct dwarf_set *y, size_t skip, size_t n)
{
	const uint8_t *p = a->data + x->start + x->head, *q = b->data + y->start + y->head;
	size_t size = x->body - x->start - x->head;
	return x->head == y->head && x->body - x->start == y->body - y->start &&
		x->end <= a->s.size && y->end <= b->s.size && !memcmp(p, q, skip) &&
		!memcmp(p + skip + n, q + skip + n, size - skip - n);
}

void verify_tables(struct debug *d, enum dwarf_class kind)
{
	enum section_kind k = kind == DWARF_RANGES ? RNGLISTS : LOCLISTS;
	const struct image *a = &d->m[OLD][k], *b = &d->m[NEW][k];
	struct dwarf_set x = {0}, y = {0};
	while (x.end < a->s.size) {
		uint64_t at = x.end;
		if (!d->reader->table(d->file[OLD], kind, x.end, &x))
			return; /* it is known only where entries refer to it */
		if (!d->reader->table(d->file[NEW], kind, y.end, &y) ||
			!same_head(a, &x, b, &y, 0, 0)) {
			debug_fail(d, k, at, "the table of lists has another header now");
			return;
		}
	}
	if (y.end < b->s.size)
		debug_fail(d, k, a->s.size, "there are more tables of lists now");
}

static void check_set(struct debug *d, const struct dwarf_set *a, const struct dwarf_set *b)
{
	struct verify *v = d->v;
	for (size_t i = 0; i < a->n; i++) {
		const struct dwarf_range *r = &a->range[i], *q = &b->range[i];
		struct vbase x, y;
		v->nrange++;
		if (!old_code(d, r->from, &x)) {
			v->unproved += r->from != q->from;
			if (!same_other(d, r->from, q->from) ||
				(r->from == q->from && r->to != q->to))
				debug_fail(d, ARANGES, a->start, "another address range now");
			continue;
		}
		uint64_t n = r->to - r->from, m = q->to - q->from;
		if (!addresses_place(&d->where, NEW, q->from, &y) || !n != !m ||
			!same_spot(v, x.sec, x.off, y.sec, y.off, USE_ROW) ||
			(n && !same_spot(v, x.sec, x.off + n, y.sec, y.off + m, USE_PAST)) ||
			!same_runs(v, x.sec, x.off, x.off + n, y.off, y.off + m))
			debug_fail(d, ARANGES, a->start, "the address range is another one now");
	}
}

/* Are the sets' headers equal, also the padding up to the ranges, and is the unit the same one? */
static bool same_set(const struct debug *d, const struct dwarf_set *x, const struct dwarf_set *y)
{
	const struct moved *u = moved_find(&d->unit, x->unit);
	enum { VERSION = 2 };
	size_t wide = x->head == 4 ? 4 : 8;
	return x->n == y->n && (u && u->old == x->unit ? u->new == y->unit : x->unit == y->unit) &&
		same_head(&d->m[OLD][ARANGES], x, &d->m[NEW][ARANGES], y, VERSION, wide);
}

void verify_aranges(struct debug *d)
{
	const struct image *a = &d->m[OLD][ARANGES], *b = &d->m[NEW][ARANGES];
	struct dwarf_set x = {0}, y = {0};
	if (a->s.size != b->s.size) {
		debug_fail(d, ARANGES, 0, "another size now");
		return;
	}
	while (x.end < a->s.size) {
		uint64_t at = x.end;
		bool known = d->reader->aranges(d->file[OLD], x.end, &x);
		if (known != d->reader->aranges(d->file[NEW], y.end, &y) ||
			(known && !same_set(d, &x, &y))) {
			debug_fail(d, ARANGES, at, "another header or number of ranges now");
			return;
		}
		if (!known) {
			d->v->unproved++;
			return;
		}
		check_set(d, &x, &y);
	}
}
