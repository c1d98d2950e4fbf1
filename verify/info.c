/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.c - .debug_info (DWARF 5, chapter 7)
 *
 * Old and new entries are walked together.  All attributes must be equal, except addresses, lengths
 * and references to lists, which must lead to the corresponding places, and references to entries
 * that have moved.
 */
#include "verify/debug.h"
#include "verify/places.h"

#include <stdlib.h>

enum {
	AT_LOCATION = 0x02,
	AT_RESERVED = 0x04,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_ENTRY_PC = 0x52,
	AT_ADDR_BASE = 0x73,
	AT_RNGLISTS_BASE = 0x74,
	AT_DWO_NAME = 0x76,
	AT_CALL_RETURN_PC = 0x7d,
	AT_CALL_PC = 0x81,
	AT_LOCLISTS_BASE = 0x8c,
	AT_GNU_DWO_NAME = 0x2130,
	AT_GNU_DWO_ID = 0x2131,
	AT_GNU_RANGES_BASE = 0x2132,
	AT_GNU_ADDR_BASE = 0x2133,
	TAG_COMPILE_UNIT = 0x11,
	TAG_SKELETON_UNIT = 0x4a,
	TAG_GNU_CALL_SITE = 0x4109
};

/* A value in both objects. */
struct pair {
	const struct dwarf_value *a, *b; /* NULL: not set */
};

/* Of an entry. */
struct range {
	struct pair low, high, start, list, views;
};

struct info {
	struct debug *d;
	struct dwarf_unit u[AGES];
	bool grown;	 /* the unit is larger now */
	moved_vec entry; /* of all units that have grown */
};

/* Values of attributes -------------------------------------------------- */

static void fail_at(const struct info *in, const struct pair *p, const char *what)
{
	debug_fail(in->d, INFO, p->a->off, what);
}

/* Old and new place of an address; false: not in code. */
static bool code_places(const struct info *in, const struct pair *p, struct vbase *x,
	struct vbase *y)
{
	return p->a && old_code(in->d, p->a->x, x) &&
		addresses_place(&in->d->where, NEW, p->b->x, y);
}

static void check_address(struct info *in, const struct pair *p, enum use use, enum use or)
{
	struct vbase x, y;
	const struct verify *v = in->d->v;
	if (!code_places(in, p, &x, &y) ? !same_other(in->d, p->a->x, p->b->x)
					: !same_spot(v, x.sec, x.off, y.sec, y.off, use) &&
				!same_spot(v, x.sec, x.off, y.sec, y.off, or))
		fail_at(in, p, "the address leads to another place now");
}

/* A length or distance from the entry's DW_AT_low_pc. */
static void check_distance(struct info *in, const struct pair *low, const struct pair *p,
	enum use use)
{
	struct vbase x, y;
	const struct verify *v = in->d->v;
	uint64_t n = p->a->x, m = p->b->x;
	if (!code_places(in, low, &x, &y)) {
		if (n != m)
			fail_at(in, p, "another length now");
	} else if ((n ? !same_spot(v, x.sec, x.off + n, y.sec, y.off + m, use) : m != 0) ||
		!same_runs(v, x.sec, x.off, x.off + n, y.off, y.off + m)) {
		fail_at(in, p, "the length or distance leads to another place now");
	}
}

/* The range from the entry's DW_AT_low_pc to DW_AT_high_pc, two addresses. */
static void check_ends(struct info *in, const struct pair *low, const struct pair *high)
{
	struct vbase x, y, end, nend;
	check_address(in, high, USE_PAST, USE_ROW);
	if (code_places(in, low, &x, &y) && code_places(in, high, &end, &nend) &&
		x.sec == end.sec && !same_runs(in->d->v, x.sec, x.off, end.off, y.off, nend.off))
		fail_at(in, high, "the range has other functions now");
}

static bool is_address(const struct dwarf_value *a)
{
	return a->kind == DWARF_ADDRESS || a->kind == DWARF_INDEXED;
}

static void check_range(struct info *in, const struct range *r)
{
	if (r->high.a && is_address(r->high.a))
		check_ends(in, &r->low, &r->high);
	else if (r->high.a)
		check_distance(in, &r->low, &r->high, USE_PAST);
	if (r->start.a)
		check_distance(in, &r->low, &r->start, USE_ROW);
}

static enum section_kind list_section(const struct info *in, enum dwarf_class kind)
{
	if (in->u[OLD].version >= 5)
		return kind == DWARF_RANGES ? RNGLISTS : LOCLISTS;
	return kind == DWARF_RANGES ? RANGES : LOC;
}

/* The view numbers of a location list's entries are directly in front of it. */
static void check_views(struct info *in, const struct range *r)
{
	enum section_kind k = list_section(in, DWARF_LOCATIONS);
	const struct image *m = &in->d->m[OLD][k], *n = &in->d->m[NEW][k];
	uint64_t x = r->views.a->x, y = r->views.b->x;
	if (!r->list.a || r->list.a->x < x || r->list.a->x > m->s.size ||
		r->list.b->x > n->s.size) {
		in->d->v->unproved++;
		return;
	}
	uint64_t size = r->list.a->x - x;
	if (r->list.b->x - y != size || memcmp(m->data + x, n->data + y, size) != 0)
		fail_at(in, &r->views, "the location list has other views now");
}

/* Bases are checked by what is found by them. */
static bool is_base(uint32_t name)
{
	return name == AT_ADDR_BASE || name == AT_RNGLISTS_BASE || name == AT_LOCLISTS_BASE ||
		name == AT_GNU_RANGES_BASE || name == AT_GNU_ADDR_BASE;
}

static void check_table(struct info *in, const struct pair *p)
{
	const struct moved *t = moved_find(&in->d->line, p->a->x);
	if (t && t->old == p->a->x ? t->new != p->b->x : p->a->x != p->b->x)
		fail_at(in, p, "refers to another table now");
}

/* False: it is not known yet, or the unit has grown. */
static bool same_entry(const struct info *in, uint64_t x, uint64_t y)
{
	const struct dwarf_unit *a = &in->u[OLD], *b = &in->u[NEW];
	const moved_vec *all = &in->d->unit;
	if (x >= a->start && x < a->end)
		return !in->grown && x - a->start == y - b->start;
	const struct moved *u = x < a->start ? moved_find(all, x) : NULL;
	return u && u[1].old - u->old == u[1].new - u->new &&x - u->old == y - u->new;
}

static void check_block(struct info *in, const struct pair *p)
{
	bool unproved;
	const struct dwarf_value *a = p->a, *b = p->b;
	/* an expression may refer to entries */
	if (in->grown)
		fail_at(in, p, "an expression in a unit whose entries have moved");
	else if (!same_expr(in->d, a->data, a->size, b->data, b->size, &unproved))
		fail_at(in, p, "has another value now");
	else
		in->d->v->unproved += unproved;
}

static void check_bytes(struct info *in, const struct pair *p)
{
	const uint8_t *x = in->d->m[OLD][INFO].data + p->a->off,
		      *y = in->d->m[NEW][INFO].data + p->b->off;
	uint64_t n = p->a->end - p->a->off;
	if (p->b->end - p->b->off != n || memcmp(x, y, n) != 0)
		fail_at(in, p, "has another value now");
}

static void check_code(struct info *in, struct range *r, uint32_t tag, const struct pair *p)
{
	uint32_t name = p->a->name;
	if (name == AT_LOW_PC)
		r->low = *p;
	if (name == AT_HIGH_PC)
		r->high = *p;
	else if (name == AT_CALL_RETURN_PC || tag == TAG_GNU_CALL_SITE)
		check_address(in, p, USE_END, p->a->kind == DWARF_INDEXED ? USE_ROW : USE_END);
	else
		check_address(in, p, name == AT_CALL_PC ? USE_READ : USE_ROW, USE_ROW);
}

static void check_constant(struct info *in, struct range *r, const struct pair *p)
{
	if (p->a->name == AT_HIGH_PC)
		r->high = *p;
	else if (p->a->name == AT_ENTRY_PC)
		r->start = *p;
	else if (p->a->x != p->b->x)
		fail_at(in, p, "another constant now");
}

static void check_value(struct info *in, struct range *r, uint32_t tag, const struct pair *p)
{
	const struct dwarf_value *a = p->a, *b = p->b;
	switch (a->kind) {
	case DWARF_ADDRESS:
	case DWARF_INDEXED: check_code(in, r, tag, p); return;
	case DWARF_CONSTANT: check_constant(in, r, p); return;
	case DWARF_LINES: check_table(in, p); return;
	case DWARF_VIEWS: r->views = *p; return;
	case DWARF_RANGES:
	case DWARF_LOCATIONS:
		if (a->name == AT_LOCATION)
			r->list = *p;
		verify_list(in->d, list_section(in, a->kind), a->kind, a->x, b->x);
		return;
	case DWARF_OFFSET:
		if (a->x != b->x && !is_base(a->name))
			fail_at(in, p, "refers to another table now");
		return;
	case DWARF_ENTRY:
		if (!same_entry(in, a->x, b->x))
			vec_push(&in->d->ref, (struct reference){a->off, a->x, b->x});
		return;
	case DWARF_BLOCK: check_block(in, p); return;
	case DWARF_OTHER: check_bytes(in, p);
	}
}

/* Entries --------------------------------------------------------------- */

/* An attribute that names the unit's .dwo file, which describes the old code: it is hidden. */
static bool is_hidden(uint32_t name, uint32_t new)
{
	return (name == AT_DWO_NAME || name == AT_GNU_DWO_NAME || name == AT_GNU_DWO_ID) &&
		new == AT_RESERVED;
}

static bool check_entry(struct info *in, const struct dwarf_entry *a, const struct dwarf_entry *b)
{
	struct range r = {0};
	bool plain = a->tag == TAG_SKELETON_UNIT && b->tag == TAG_COMPILE_UNIT;
	if ((a->tag != b->tag && !plain) || a->children != b->children || a->n != b->n)
		return false;
	in->d->v->nentry += a->tag != 0;
	for (size_t i = 0; i < a->n; i++) {
		struct pair p = {&a->value[i], &b->value[i]};
		if (p.a->form != p.b->form || p.a->kind != p.b->kind)
			return false;
		if (is_hidden(p.a->name, p.b->name))
			continue;
		if (p.a->name != p.b->name)
			return false;
		check_value(in, &r, a->tag, &p);
	}
	check_range(in, &r);
	if (r.views.a)
		check_views(in, &r);
	return true;
}

static bool check_entries(struct info *in)
{
	const struct dwarf_reader *reader = in->d->reader;
	struct dwarf_entry a = {.end = in->u[OLD].body}, b = {.end = in->u[NEW].body};
	in->grown = in->u[OLD].end - in->u[OLD].start != in->u[NEW].end - in->u[NEW].start;
	while (a.end < in->u[OLD].end) {
		if (!reader->entry(in->d->file[OLD], &a) || !reader->entry(in->d->file[NEW], &b))
			return false;
		in->d->entry = a.off;
		if (in->grown)
			vec_push(&in->entry, (struct moved){a.off, b.off});
		if (!check_entry(in, &a, &b))
			return false;
	}
	return b.end == in->u[NEW].end;
}

/* References to entries that have moved. */
static void check_refs(struct info *in)
{
	const moved_vec *all = &in->d->unit;
	for (size_t i = 0; i < in->d->ref.n; i++) {
		const struct reference *r = &in->d->ref.v[i];
		const struct moved *u = moved_find(all, r->x), *e = moved_find(&in->entry, r->x);
		if (u && u + 1 == all->v + all->n)
			u = NULL; /* behind the last one */
		bool grown = u && u[1].old - u->old != u[1].new - u->new;
		if (grown ? !e || e->old != r->x || e->new != r->y
			  : !u || r->x - u->old != r->y - u->new)
			debug_fail(in->d, INFO, r->off, "refers to another entry now");
	}
}

/* Are the headers equal behind the unit's length? */
static bool same_header(const struct info *in)
{
	const struct dwarf_unit *a = &in->u[OLD], *b = &in->u[NEW];
	const uint8_t *p = in->d->m[OLD][INFO].data, *q = in->d->m[NEW][INFO].data;
	uint64_t n = a->body - a->start - a->head;
	return a->head == b->head && b->body - b->start - b->head == n &&
		!memcmp(p + a->start + a->head, q + b->start + b->head, n);
}

static bool check_units(struct info *in, size_t n)
{
	struct debug *d = in->d;
	struct dwarf_unit *a = &in->u[OLD], *b = &in->u[NEW];
	for (size_t i = 0; i < n; i++) {
		if (!d->reader->unit(d->file[OLD], i, a) || !d->reader->unit(d->file[NEW], i, b) ||
			!same_header(in) || !check_entries(in)) {
			debug_fail(d, INFO, a->start, "the entries of the unit differ");
			return false;
		}
		/* where the unit ends is the last one's old and new offset until the next is added
		 */
		d->unit.n -= d->unit.n != 0;
		vec_push(&d->unit, (struct moved){a->start, b->start});
		vec_push(&d->unit, (struct moved){a->end, b->end});
	}
	return true;
}

void verify_info(struct debug *d)
{
	struct info in = {.d = d};
	size_t n, m;
	bool good = d->reader->units(d->file[OLD], &n);
	if (good != d->reader->units(d->file[NEW], &m) || n != m)
		debug_fail(d, INFO, 0, "there are other units now");
	else if (check_units(&in, n))
		check_refs(&in);
	vec_free(&in.entry);
	vec_free(&d->ref);
}
