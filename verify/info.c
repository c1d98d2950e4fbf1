/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.c - .debug_info (DWARF 5, chapter 7)
 *
 * Old and new entries are walked together.  All attributes must be equal, except addresses, lengths
 * and references to lists, which must lead to the corresponding places, and references to entries
 * that have moved.
 */
#include "verify/debug.h"
#include "verify/landing.h"
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
	AT_GNU_LOCVIEWS = 0x2137,
	TAG_COMPILE_UNIT = 0x11,
	TAG_SKELETON_UNIT = 0x4a,
	TAG_GNU_CALL_SITE = 0x4109
};
enum { FORM_INDIRECT = 0x16, FORM_IMPLICIT = 0x21, FORM_LOCLISTX = 0x22, FORM_RNGLISTX = 0x23 };
enum { OLD, NEW, SIDES };

struct abbrev_attr {
	uint32_t name, form;
	int64_t implicit;
	bool lost; /* invalid in the new object, so not compared */
};
struct abbrev {
	uint64_t code;
	uint32_t tag, first, n;
};

/* A field in both objects. */
enum class { C_OTHER, C_ADDRESS, C_INDEX, C_CONSTANT, C_OFFSET, C_LIST, C_REF, C_BLOCK };
struct value {
	uint32_t form;
	enum class class;
	uint64_t off, end, x;
};
struct pair {
	struct value v[SIDES];
	bool set;
};

/* The unit that is being read, in one of the objects. */
struct unit {
	struct side s;
	uint64_t start, head, body, end; /* head: behind the length */
	struct bases bases;
	struct vbase rnglists, loclists;
	uint32_t rel; /* cursor into the relocations */
};
struct info {
	struct verify *v;
	struct unit u[SIDES];
	unsigned version;
	bool wide;
	struct vbase table; /* the table that abbrev was read from */
	VEC(struct abbrev) abbrev;
	VEC(struct abbrev_attr) attr;

	/* of a unit that has grown: references within it, and offsets of its entries */
	bool grown;
	VEC(struct pair) ref;
	VEC(struct vunit) entry;
};

/* Fields ---------------------------------------------------------------- */

static uint64_t read_bytes(struct reader *r, unsigned n)
{
	uint64_t x = 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t byte = read_u8(r);
		x = r->big ? x << 8 | byte : i < 8 ? x | byte << 8 * i : x;
	}
	return x;
}

static uint64_t read_offset(const struct info *in, struct reader *r)
{
	return in->wide ? read_u64(r) : read_u32(r);
}

/* DWARF 5, section 7.5.6.  A form that is not known makes the reader bad. */
static struct value read_value(const struct info *in, struct reader *r, const struct abbrev_attr *a)
{
	static const uint8_t data[] = {[0x05] = 2, [0x06] = 4, [0x07] = 8, [0x0b] = 1};
	static const uint8_t ref[] = {[0x11] = 1, [0x12] = 2, [0x13] = 4, [0x14] = 8};
	static const uint8_t fixed[] = {[0x0c] = 1,
		[0x1c] = 4,
		[0x1e] = 16,
		[0x20] = 8,
		[0x24] = 8,
		[0x25] = 1,
		[0x26] = 2,
		[0x27] = 3,
		[0x28] = 4};
	struct value v = {.form = a->form, .off = reader_at(r)};
	while (v.form == FORM_INDIRECT)
		v.form = (uint32_t)read_uleb(r);
	switch (v.form) {
	case 0x01:
		v.class = C_ADDRESS;
		v.x = read_word(r, in->v->a->word);
		break;
	case 0x1b:
	case 0x1f01:
		v.class = C_INDEX;
		v.x = read_uleb(r);
		break;
	case 0x29:
	case 0x2a:
	case 0x2b:
	case 0x2c:
		v.class = C_INDEX;
		v.x = read_bytes(r, v.form - 0x28);
		break;
	case 0x05:
	case 0x06:
	case 0x07:
	case 0x0b:
		v.class = C_CONSTANT;
		v.x = read_bytes(r, data[v.form]);
		break;
	case 0x0d:
		v.class = C_CONSTANT;
		v.x = (uint64_t)read_sleb(r);
		break;
	case 0x0f:
		v.class = C_CONSTANT;
		v.x = read_uleb(r);
		break;
	case FORM_IMPLICIT:
		v.class = C_CONSTANT;
		v.x = (uint64_t)a->implicit;
		break;
	case 0x17:
		v.class = C_OFFSET;
		v.x = read_offset(in, r);
		break;
	case FORM_LOCLISTX:
	case FORM_RNGLISTX:
		v.class = C_LIST;
		v.x = read_uleb(r);
		break;
	case 0x11:
	case 0x12:
	case 0x13:
	case 0x14:
		v.class = C_REF;
		v.x = read_bytes(r, ref[v.form]);
		break;
	case 0x15:
		v.class = C_REF;
		v.x = read_uleb(r);
		break;
	case 0x08: read_str(r); break;
	case 0x1a:
	case 0x1f02: read_uleb(r); break;
	case 0x0e:
	case 0x1d:
	case 0x1f:
	case 0x1f20:
	case 0x1f21: read_offset(in, r); break;
	case 0x10: in->version == 2 ? read_word(r, in->v->a->word) : read_offset(in, r); break;
	case 0x03:
		v.class = C_BLOCK;
		read_skip(r, read_u16(r));
		break;
	case 0x04:
		v.class = C_BLOCK;
		read_skip(r, read_u32(r));
		break;
	case 0x0a:
		v.class = C_BLOCK;
		read_skip(r, read_u8(r));
		break;
	case 0x09:
	case 0x18:
		v.class = C_BLOCK;
		read_skip(r, read_uleb(r));
		break;
	case 0x19: break;
	default:
		if (v.form < sizeof fixed && fixed[v.form])
			read_bytes(r, fixed[v.form]);
		else
			r->bad = true;
	}
	v.end = reader_at(r);
	return v;
}

/* Abbreviations --------------------------------------------------------- */

/* Does x stand in [off, end)? */
static bool is_number(const struct section *s, uint64_t off, uint64_t end, uint64_t x)
{
	struct reader r = reader_make(s->data, end);
	read_skip(&r, off);
	return read_uleb(&r) == x && reader_at(&r) == end;
}

/* An attribute that names the unit's .dwo file. */
static bool is_split(uint32_t name)
{
	return name == AT_DWO_NAME || name == AT_GNU_DWO_NAME || name == AT_GNU_DWO_ID;
}

static bool read_abbrevs(struct info *in, const struct vbase *at)
{
	const struct section *s = &in->v->a->sec.v[at->sec];
	const struct section *n = &in->v->b->sec.v[in->v->pair[at->sec]];
	struct reader r = reader_make(s->data, s->size);
	uint64_t code;
	if (in->table.sec == at->sec && in->table.off == at->off)
		return true;
	in->table = *at;
	in->abbrev.n = in->attr.n = 0;
	if (s->size != n->size)
		return false;
	uint64_t from = at->off; /* compared up to here */
	bool same = true;
	read_skip(&r, at->off);
	while ((code = read_uleb(&r))) {
		struct abbrev a = {.code = code, .first = (uint32_t)in->attr.n};
		uint64_t tag = reader_at(&r);
		a.tag = (uint32_t)read_uleb(&r);
		if (a.tag == TAG_SKELETON_UNIT && !r.bad &&
			is_number(n, tag, reader_at(&r), TAG_COMPILE_UNIT)) {
			same &= !memcmp(s->data + from, n->data + from, tag - from);
			from = reader_at(&r);
		}
		read_u8(&r);
		while (!r.bad) {
			uint64_t off = reader_at(&r);
			struct abbrev_attr t = {.name = (uint32_t)read_uleb(&r)};
			uint64_t form = reader_at(&r);
			if (!r.bad && is_split(t.name) && is_number(n, off, form, AT_RESERVED)) {
				/* the .dwo file describes the old code: the attribute is hidden */
				same &= !memcmp(s->data + from, n->data + from, off - from);
				t.lost = true;
				from = form;
			}
			t.form = (uint32_t)read_uleb(&r);
			if (t.form == FORM_IMPLICIT)
				t.implicit = read_sleb(&r);
			if (!t.name && !t.form)
				break;
			vec_push(&in->attr, t);
			a.n++;
		}
		vec_push(&in->abbrev, a);
	}
	return same && !r.bad && !memcmp(s->data + from, n->data + from, reader_at(&r) - from);
}

static const struct abbrev *find_abbrev(const struct info *in, uint64_t code)
{
	if (code <= in->abbrev.n && in->abbrev.v[code - 1].code == code)
		return &in->abbrev.v[code - 1];
	for (size_t i = 0; i < in->abbrev.n; i++)
		if (in->abbrev.v[i].code == code)
			return &in->abbrev.v[i];
	return NULL;
}

/* Values of attributes -------------------------------------------------- */

static void fail_at(const struct info *in, const struct pair *p, const char *what)
{
	vfail(in->v, in->u[OLD].s.s, p->v[OLD].off, "%s", what);
}

static bool value_place(const struct unit *u, const struct value *v, struct vbase *p)
{
	if (v->class == C_ADDRESS)
		return side_place(&u->s, v->off, p);
	return v->class == C_INDEX && indexed_place(u->s.o, &u->bases, v->x, p);
}

/* Old and new place of an address; false: not in code. */
static bool code_places(const struct info *in, const struct pair *p, struct vbase *x,
	struct vbase *y)
{
	return value_place(&in->u[OLD], &p->v[OLD], x) && text_at(in->v, x->sec) &&
		value_place(&in->u[NEW], &p->v[NEW], y);
}

static void check_address(struct info *in, const struct pair *p, enum use use, enum use or)
{
	struct vbase x, y;
	if (code_places(in, p, &x, &y) && !same_spot(in->v, x.sec, x.off, y.sec, y.off, use) &&
		!same_spot(in->v, x.sec, x.off, y.sec, y.off, or))
		fail_at(in, p, "the address leads to another place now");
}

/* An index is into the unit's table of offsets, which are relative to the table. */
static bool list_place(const struct info *in, const struct unit *u, const struct value *v,
	struct vbase *p)
{
	if (v->class != C_LIST)
		return side_place(&u->s, v->off, p);
	*p = v->form == FORM_RNGLISTX ? u->rnglists : u->loclists;
	if (!p->sec)
		return false;
	const struct section *s = &u->s.o->sec.v[p->sec];
	struct reader r = section_reader(u->s.o, s, s->size);
	read_skip(&r, p->off + v->x * (in->wide ? 8 : 4));
	p->off += read_offset(in, &r);
	return !r.bad;
}

static void check_offset(struct info *in, uint32_t name, const struct pair *p)
{
	struct verify *v = in->v;
	struct vbase x, y;
	bool known = list_place(in, &in->u[OLD], &p->v[OLD], &x);
	if (known != list_place(in, &in->u[NEW], &p->v[NEW], &y))
		fail_at(in, p, "refers to a list or table no more, or only now");
	else if (known && is_list_section(&v->a->sec.v[x.sec]) && name != AT_GNU_LOCVIEWS &&
		name != AT_RNGLISTS_BASE && name != AT_LOCLISTS_BASE && name != AT_GNU_RANGES_BASE)
		verify_list(v, &x, &in->u[OLD].bases, &y, &in->u[NEW].bases);
	else if (known && !is_list_section(&v->a->sec.v[x.sec]) && !same_unit(v, &x, &y))
		fail_at(in, p, "refers to another table now");
}

/* A length or distance from the entry's DW_AT_low_pc. */
static void check_distance(struct info *in, const struct pair *low, const struct pair *p,
	enum use use)
{
	struct vbase x, y;
	uint64_t n = p->v[OLD].x, m = p->v[NEW].x;
	if (!low->set || !code_places(in, low, &x, &y)) {
		if (n != m)
			fail_at(in, p, "another length now");
	} else if ((n ? !same_spot(in->v, x.sec, x.off + n, y.sec, y.off + m, use) : m != 0) ||
		!same_runs(in->v, x.sec, x.off, x.off + n, y.off, y.off + m)) {
		fail_at(in, p, "the length or distance leads to another place now");
	}
}

/* The range from the entry's DW_AT_low_pc to DW_AT_high_pc, two addresses. */
static void check_ends(struct info *in, const struct pair *low, const struct pair *high)
{
	struct vbase x, y, end, nend;
	if (low->set && code_places(in, low, &x, &y) && code_places(in, high, &end, &nend) &&
		x.sec == end.sec && !same_runs(in->v, x.sec, x.off, end.off, y.off, nend.off))
		fail_at(in, high, "the range has other functions now");
}

/* Fields come in ascending order, and most have no relocation. */
static bool has_reloc(struct unit *u, const struct value *v)
{
	const struct section *s = u->s.s;
	while (u->rel < s->nrel && s->rel[u->rel].off < v->off)
		u->rel++;
	return u->rel < s->nrel && s->rel[u->rel].off < v->end;
}

struct entry {
	struct pair low, high, start, list, views;
	struct pair end; /* DW_AT_high_pc, an address */
};

/* The view numbers of a location list's entries are directly in front of it. */
static void check_views(struct info *in, const struct entry *e)
{
	struct vbase at[SIDES], list[SIDES];
	const struct section *s[SIDES];
	for (int i = 0; i < SIDES; i++) {
		if (!list_place(in, &in->u[i], &e->views.v[i], &at[i]) ||
			!list_place(in, &in->u[i], &e->list.v[i], &list[i]) ||
			at[i].sec != list[i].sec || at[i].off > list[i].off ||
			list[i].off > in->u[i].s.o->sec.v[at[i].sec].size) {
			in->v->unproved++;
			return;
		}
		s[i] = &in->u[i].s.o->sec.v[at[i].sec];
	}
	uint64_t n = list[OLD].off - at[OLD].off;
	if (list[NEW].off - at[NEW].off != n ||
		memcmp(s[OLD]->data + at[OLD].off, s[NEW]->data + at[NEW].off, n) != 0)
		fail_at(in, &e->views, "the location list has other views now");
}

static void check_value(struct info *in, struct entry *e, uint32_t tag, uint32_t name,
	const struct pair *p)
{
	const struct value *a = &p->v[OLD], *b = &p->v[NEW];
	const struct side *sa = &in->u[OLD].s, *sb = &in->u[NEW].s;
	uint64_t n = a->end - a->off;
	switch (a->class) {
	case C_ADDRESS:
	case C_INDEX:
		if (name == AT_LOW_PC)
			e->low = *p;
		if (name == AT_CALL_RETURN_PC || tag == TAG_GNU_CALL_SITE)
			check_address(in, p, USE_END, a->class == C_INDEX ? USE_ROW : USE_END);
		else if (name == AT_HIGH_PC)
			e->end = *p;
		else
			check_address(in, p, name == AT_CALL_PC ? USE_READ : USE_ROW, USE_ROW);
		return;
	case C_CONSTANT:
		if (name == AT_HIGH_PC)
			e->high = *p;
		else if (name == AT_ENTRY_PC)
			e->start = *p;
		else if (a->x != b->x)
			fail_at(in, p, "another constant now");
		return;
	case C_OFFSET:
	case C_LIST:
		if (name == AT_LOCATION)
			e->list = *p;
		if (name == AT_GNU_LOCVIEWS)
			e->views = *p;
		check_offset(in, name, p);
		return;
	case C_REF:
		if (in->grown)
			vec_push(&in->ref, *p);
		else if (a->x != b->x)
			fail_at(in, p, "refers to another entry now");
		return;
	case C_BLOCK:
		/* an expression may refer to entries */
		if (in->grown)
			fail_at(in, p, "an expression in a unit whose entries have moved");
		/* fallthrough */
	case C_OTHER:
		if (b->end - b->off != n || !same_range(in->v, sa->s, a->off, n, sb->s, b->off))
			fail_at(in, p, "has another value now");
		else if ((has_reloc(&in->u[OLD], a) || has_reloc(&in->u[NEW], b)) &&
			!same_addresses(in->v, sa->s, a->off, a->end, sb->s, b->off))
			in->v->unproved++;
	}
}

/* Entries --------------------------------------------------------------- */

static bool read_pair(struct info *in, const struct abbrev_attr *a, struct pair *p)
{
	for (int i = 0; i < SIDES; i++)
		p->v[i] = read_value(in, &in->u[i].s.r, a);
	p->set = true;
	return !in->u[OLD].s.r.bad && !in->u[NEW].s.r.bad && p->v[OLD].class == p->v[NEW].class;
}

/* Read the bases of lists and addresses from the unit's own entry. */
static void read_bases(const struct info *in, struct unit *u, const struct abbrev *a)
{
	struct reader r = u->s.r;
	struct value low = {0};
	for (uint32_t i = 0; i < a->n && !r.bad; i++) {
		const struct abbrev_attr *t = &in->attr.v[a->first + i];
		struct value v = read_value(in, &r, t);
		switch (t->name) {
		case AT_LOW_PC: low = v; break;
		case AT_ADDR_BASE:
		case AT_GNU_ADDR_BASE: side_place(&u->s, v.off, &u->bases.addr); break;
		case AT_RNGLISTS_BASE: side_place(&u->s, v.off, &u->rnglists); break;
		case AT_LOCLISTS_BASE: side_place(&u->s, v.off, &u->loclists); break;
		default: break;
		}
	}
	if (!value_place(u, &low, &u->bases.low))
		u->bases.low = (struct vbase){0, low.x};
}

static bool check_entry(struct info *in, const struct abbrev *a)
{
	struct entry e = {0};
	for (uint32_t i = 0; i < a->n; i++) {
		const struct abbrev_attr *t = &in->attr.v[a->first + i];
		struct pair p;
		if (!read_pair(in, t, &p))
			return false;
		if (!t->lost)
			check_value(in, &e, a->tag, t->name, &p);
	}
	if (e.high.set)
		check_distance(in, &e.low, &e.high, USE_PAST);
	if (e.end.set) {
		check_address(in, &e.end, USE_PAST, USE_ROW);
		check_ends(in, &e.low, &e.end);
	}
	if (e.start.set)
		check_distance(in, &e.low, &e.start, USE_ROW);
	if (e.views.set)
		check_views(in, &e);
	in->v->nentry++;
	return true;
}

/* In a unit that has grown, references must lead to the same entries. */
static void check_refs(struct info *in)
{
	uint64_t sa = in->u[OLD].start, sb = in->u[NEW].start;
	for (size_t i = 0; i < in->ref.n; i++) {
		const struct value *v = in->ref.v[i].v;
		struct vunit key = {.old = sa + v[OLD].x};
		const struct vunit *e = in->entry.n
			? bsearch(&key, in->entry.v, in->entry.n, sizeof key, cmp_vunit)
			: NULL;
		if (!e || sb + v[NEW].x != e->new)
			fail_at(in, &in->ref.v[i], "refers to another entry now");
	}
}

static bool check_entries(struct info *in)
{
	struct reader *a = &in->u[OLD].s.r, *b = &in->u[NEW].s.r;
	bool first = true;
	in->ref.n = in->entry.n = 0;
	in->grown = in->u[OLD].end - in->u[OLD].start != in->u[NEW].end - in->u[NEW].start;
	while (reader_at(a) < in->u[OLD].end) {
		if (in->grown)
			vec_push(&in->entry,
				(struct vunit){.old = reader_at(a), .new = reader_at(b)});
		uint64_t code = read_uleb(a);
		if (read_uleb(b) != code)
			return false;
		const struct abbrev *t = code ? find_abbrev(in, code) : NULL;
		if (code && !t)
			return false;
		for (int i = 0; i < SIDES && t && first; i++)
			read_bases(in, &in->u[i], t);
		first = first && !t;
		if (t && !check_entry(in, t))
			return false;
	}
	check_refs(in);
	return reader_at(b) == in->u[NEW].end;
}

/* Read a unit's header; table: of its abbreviations. */
static bool open_unit(struct info *in, struct unit *u, struct vbase *table)
{
	struct reader *r = &u->s.r;
	unsigned type = 0;
	u->bases = (struct bases){0};
	u->rnglists = u->loclists = (struct vbase){0};
	u->start = reader_at(r);
	if (!read_unit_length(r, &u->end, &in->wide))
		return false;
	u->head = reader_at(r);
	in->version = read_u16(r);
	if (in->version >= 5) {
		type = read_u8(r);
		read_u8(r);
	}
	uint64_t field = reader_at(r);
	read_offset(in, r);
	if (in->version < 5)
		read_u8(r);
	if (type == 2 || type == 6)
		read_skip(r, in->wide ? 16 : 12);
	else if (type == 4 || type == 5)
		read_skip(r, 8);
	u->body = reader_at(r);
	return !r->bad && side_place(&u->s, field, table);
}

/* Are the headers equal behind the unit's length? */
static bool same_header(const struct unit *a, const struct unit *b)
{
	uint64_t n = a->body - a->head;
	return b->body - b->head == n && !memcmp(a->s.s->data + a->head, b->s.s->data + b->head, n);
}

void verify_info(struct verify *v, const struct section *a, const struct section *b)
{
	struct info in = {.v = v};
	struct unit *ua = &in.u[OLD], *ub = &in.u[NEW];
	ua->s = side_make(v->a, a);
	ub->s = side_make(v->b, b);
	while (ua->s.r.p < ua->s.r.end) {
		struct vbase ta, tb;
		if (!open_unit(&in, ua, &ta) || !open_unit(&in, ub, &tb) || !same_header(ua, ub) ||
			v->pair[ta.sec] != tb.sec || ta.off != tb.off || !read_abbrevs(&in, &ta) ||
			!check_entries(&in)) {
			vfail(v, a, reader_at(&ua->s.r), "the entries differ");
			break;
		}
		if (a->size != b->size)
			vec_push(&v->unit, (struct vunit){a->index, ua->start, ub->start});
	}
	if (ub->s.r.p < ub->s.r.end && ua->s.r.p == ua->s.r.end)
		vfail(v, a, a->size, "there are more units now");
	vec_free(&in.abbrev);
	vec_free(&in.attr);
	vec_free(&in.ref);
	vec_free(&in.entry);
}
