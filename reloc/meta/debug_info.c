/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_info.c - references to code in units of debug information (DWARF 5, chapter 7.5)
 *
 * Addresses have relocations; lengths (DW_AT_high_pc), offsets (DW_AT_entry_pc) and
 * lists relative to a base address have none.  A walk over all entries finds
 * them.  All fields keep their size, except those of debug_grow.c.
 */
#include "reloc/diff.h"
#include "reloc/meta/dwarf.h"

#include <stdlib.h>

enum {
	AT_RESERVED = 0x04,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_ENTRY_PC = 0x52,
	AT_RANGES = 0x55,
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
	TAG_GNU_CALL_SITE = 0x4109,
};

enum { UT_TYPE = 2, UT_SKELETON = 4, UT_SPLIT = 5, UT_SPLIT_TYPE = 6 };

enum {
	FORM_INDIRECT = 0x16,
	FORM_UDATA = 0x0f,
	FORM_IMPLICIT_CONST = 0x21,
	FORM_LOCLISTX = 0x22,
	FORM_RNGLISTX = 0x23,
	FORM_REF_ADDR = 0x10,
};

/* How a form is stored, and what it can mean here. */
enum storage { NO_FORM, FIXED, ULEB, SLEB, STRING, OFFSET, BLOCK_ULEB, BLOCK_FIXED, NOTHING };
enum class { OTHER, ADDRESS, ADDRESS_INDEX, CONSTANT, SECTION_OFFSET, LIST_INDEX, REFERENCE };

/* FIXED with size 0: the size of an address. */
struct form {
	uint8_t storage, size, class;
};
static const struct form forms[] = {
	[0x01] = {FIXED, 0, ADDRESS},	      /* addr */
	[0x03] = {BLOCK_FIXED, 2, OTHER},     /* block2 */
	[0x04] = {BLOCK_FIXED, 4, OTHER},     /* block4 */
	[0x05] = {FIXED, 2, CONSTANT},	      /* data2 */
	[0x06] = {FIXED, 4, CONSTANT},	      /* data4 */
	[0x07] = {FIXED, 8, CONSTANT},	      /* data8 */
	[0x08] = {STRING, 0, OTHER},	      /* string */
	[0x09] = {BLOCK_ULEB, 0, OTHER},      /* block */
	[0x0a] = {BLOCK_FIXED, 1, OTHER},     /* block1 */
	[0x0b] = {FIXED, 1, CONSTANT},	      /* data1 */
	[0x0c] = {FIXED, 1, OTHER},	      /* flag */
	[0x0d] = {SLEB, 0, CONSTANT},	      /* sdata */
	[0x0e] = {OFFSET, 0, OTHER},	      /* strp */
	[0x0f] = {ULEB, 0, CONSTANT},	      /* udata */
	[0x10] = {OFFSET, 0, OTHER},	      /* ref_addr */
	[0x11] = {FIXED, 1, REFERENCE},	      /* ref1 */
	[0x12] = {FIXED, 2, REFERENCE},	      /* ref2 */
	[0x13] = {FIXED, 4, REFERENCE},	      /* ref4 */
	[0x14] = {FIXED, 8, REFERENCE},	      /* ref8 */
	[0x15] = {ULEB, 0, REFERENCE},	      /* ref_udata */
	[0x17] = {OFFSET, 0, SECTION_OFFSET}, /* sec_offset */
	[0x18] = {BLOCK_ULEB, 0, OTHER},      /* exprloc */
	[0x19] = {NOTHING, 0, OTHER},	      /* flag_present */
	[0x1a] = {ULEB, 0, OTHER},	      /* strx */
	[0x1b] = {ULEB, 0, ADDRESS_INDEX},    /* addrx */
	[0x1c] = {FIXED, 4, OTHER},	      /* ref_sup4 */
	[0x1d] = {OFFSET, 0, OTHER},	      /* strp_sup */
	[0x1e] = {FIXED, 16, OTHER},	      /* data16 */
	[0x1f] = {OFFSET, 0, OTHER},	      /* line_strp */
	[0x20] = {FIXED, 8, OTHER},	      /* ref_sig8 */
	[0x21] = {NOTHING, 0, CONSTANT},      /* implicit_const */
	[0x22] = {ULEB, 0, LIST_INDEX},	      /* loclistx */
	[0x23] = {ULEB, 0, LIST_INDEX},	      /* rnglistx */
	[0x24] = {FIXED, 8, OTHER},	      /* ref_sup8 */
	[0x25] = {FIXED, 1, OTHER},	      /* strx1 */
	[0x26] = {FIXED, 2, OTHER},	      /* strx2 */
	[0x27] = {FIXED, 3, OTHER},	      /* strx3 */
	[0x28] = {FIXED, 4, OTHER},	      /* strx4 */
	[0x29] = {FIXED, 1, ADDRESS_INDEX},   /* addrx1 */
	[0x2a] = {FIXED, 2, ADDRESS_INDEX},   /* addrx2 */
	[0x2b] = {FIXED, 3, ADDRESS_INDEX},   /* addrx3 */
	[0x2c] = {FIXED, 4, ADDRESS_INDEX},   /* addrx4 */
};

struct attr {
	uint32_t name, form;
	int64_t implicit;
	uint64_t off; /* in the section of abbreviations */
};
struct abbrev {
	uint64_t code;
	uint32_t tag;
	uint64_t tag_off;  /* in the section of abbreviations */
	uint32_t first, n; /* in attr */
};
struct abbrevs {
	struct place at;
	VEC(struct abbrev) v;
	VEC(struct attr) attr;
	bool lebs; /* has lengths of any number of bytes */
};

struct unit {
	struct dwarf *d;
	struct section *s;
	uint64_t end;
	unsigned version;
	bool wide;
	bool types;	      /* its header refers to an entry */
	struct dw_unit *grow; /* NULL: it cannot */
	struct abbrevs *abbrevs;
	struct place base;		       /* DW_AT_low_pc of the unit itself */
	struct place addr, rnglists, loclists; /* bases of indices */
};

/* An attribute value of an entry; form 0: the entry has none. */
struct value {
	const struct attr *attr;
	uint32_t form;
	uint8_t class, size; /* size: of the field in bytes */
	uint64_t off, x;
};
struct entry {
	const struct abbrev *abbrev;
	struct value low, high, start; /* DW_AT_entry_pc */
};

/* Abbreviations -------------------------------------------------------- */

static void read_abbrev(struct abbrevs *t, struct reader *r, uint64_t code)
{
	struct abbrev a = {.code = code, .first = (uint32_t)t->attr.n, .tag_off = reader_at(r)};
	a.tag = (uint32_t)read_uleb(r);
	read_u8(r);
	while (!r->bad) {
		struct attr at = {.off = reader_at(r)};
		at.name = (uint32_t)read_uleb(r);
		at.form = (uint32_t)read_uleb(r);
		if (at.form == FORM_IMPLICIT_CONST)
			at.implicit = read_sleb(r);
		if (!at.name && !at.form)
			break;
		t->lebs |= at.name == AT_HIGH_PC && at.form == FORM_UDATA;
		vec_push(&t->attr, at);
		a.n++;
	}
	vec_push(&t->v, a);
}

static void read_abbrevs(struct abbrevs *t, const struct place *at)
{
	struct reader r = reader_make(at->sec->data, at->sec->size);
	uint64_t code;
	if (t->at.sec == at->sec && t->at.off == at->off)
		return;
	t->at = *at;
	t->v.n = t->attr.n = 0;
	t->lebs = false;
	read_skip(&r, at->off);
	while ((code = read_uleb(&r)))
		read_abbrev(t, &r, code);
	if (r.bad)
		fatal_at(at->sec, at->off, "truncated abbreviation table");
}

/* Compilers number from 1 without gaps. */
static const struct abbrev *find_abbrev(const struct abbrevs *t, uint64_t code)
{
	if (code <= t->v.n && t->v.v[code - 1].code == code)
		return &t->v.v[code - 1];
	for (size_t i = 0; i < t->v.n; i++)
		if (t->v.v[i].code == code)
			return &t->v.v[i];
	return NULL;
}

/* Values --------------------------------------------------------------- */

static struct form form_of(const struct unit *u, uint32_t form)
{
	struct form f = {0};
	if (form < sizeof forms / sizeof *forms)
		f = forms[form];
	else if (form == 0x1f01) /* GNU_addr_index */
		f = (struct form){ULEB, 0, ADDRESS_INDEX};
	else if (form == 0x1f02) /* GNU_str_index */
		f = (struct form){ULEB, 0, OTHER};
	else if (form == 0x1f20 || form == 0x1f21) /* GNU_ref_alt, GNU_strp_alt */
		f = (struct form){OFFSET, 0, OTHER};
	if (form == FORM_REF_ADDR && u->version == 2)
		f = (struct form){FIXED, 0, OTHER};
	if (f.storage == FIXED && !f.size)
		f.size = u->d->o->word;
	return f;
}

static uint64_t read_fixed(struct reader *r, unsigned size)
{
	uint64_t x = 0;
	for (unsigned i = 0; i < size; i++) {
		uint64_t byte = read_u8(r);
		x = r->big ? x << 8 | byte : i < 8 ? x | byte << 8 * i : x;
	}
	return x;
}

/*
 * The length of the number at off, in bytes.  It may have any length (7.6), and its new value is
 * written in as many bytes; a longer one than this is damaged.
 */
static uint8_t number_size(const struct section *s, uint64_t off, const struct reader *r)
{
	uint64_t size = reader_at(r) - off;
	if (size > UINT8_MAX)
		fatal_at(s, off, "a number of %llu bytes", (unsigned long long)size);
	return (uint8_t)size;
}

static struct value read_value(const struct unit *u, struct reader *r, const struct attr *a)
{
	struct value v = {.attr = a, .form = a->form};
	while (v.form == FORM_INDIRECT)
		v.form = (uint32_t)read_uleb(r);
	struct form f = form_of(u, v.form);
	v.off = reader_at(r);
	v.class = f.class;
	switch (f.storage) {
	case FIXED: v.x = read_fixed(r, f.size); break;
	case ULEB: v.x = read_uleb(r); break;
	case SLEB: v.x = (uint64_t)read_sleb(r); break;
	case STRING: read_str(r); break;
	case OFFSET: v.x = dw_offset(r, u->wide); break;
	case BLOCK_ULEB: read_skip(r, read_uleb(r)); break;
	case BLOCK_FIXED: read_skip(r, read_fixed(r, f.size)); break;
	case NOTHING: v.x = (uint64_t)a->implicit; break;
	default: fatal_at(u->s, v.off, "unknown form 0x%x in debug information", v.form);
	}
	if (f.storage == FIXED || f.storage == ULEB || f.storage == SLEB)
		v.size = number_size(u->s, v.off, r);
	return v;
}

static struct place value_place(const struct unit *u, const struct value *v)
{
	if (v->class == ADDRESS)
		return dw_place(u->d->o, u->s, v->off);
	if (v->class == ADDRESS_INDEX)
		return dw_addrx(u->d->o, &u->addr, v->x);
	return (struct place){0};
}

static void set_use(const struct unit *u, const struct value *v, enum ref_use use)
{
	struct field_ref b = {.sec = u->s->index, .off = v->off, .use = use};
	if (v->class == ADDRESS_INDEX && u->addr.sec) {
		if (use != REF_ADDRESS) {
			vec_push(&u->d->use,
				(struct dw_use){.sec = b.sec,
					.off = v->off,
					.size = v->size,
					.leb = form_of(u, v->form).storage == ULEB,
					.table = u->addr,
					.index = v->x,
					.use = use});
			return;
		}
		b.sec = u->addr.sec->index;
		b.off = u->addr.off + v->x * u->d->o->word;
	} else if (v->class != ADDRESS || use == REF_ADDRESS) {
		return;
	}
	vec_push(&u->d->ref, b);
}

/* Sets the constant in v to the length of span. */
static void set_constant(const struct unit *u, const struct value *v, const struct dw_span *span)
{
	enum storage storage = form_of(u, v->form).storage;
	bool leb = storage == ULEB;
	uint64_t x = dw_length_of(span);
	if (x == v->x && !diff_shrinks(u->d->o, span->code, span->from, span->to))
		return;
	unsigned bits = v->size * (leb ? 7 : 8);
	if ((leb || storage == FIXED) && (bits >= 64 || !(x >> bits))) {
		vec_push(&u->d->patch,
			(struct dw_patch){.sec = u->s->index,
				.off = v->off,
				.value = x,
				.span = *span,
				.size = v->size,
				.leb = leb});
		return;
	}
	if (!leb || !u->grow)
		fatal_at(u->s, v->off, "a length does not fit its form after layout");
	u->grow->grows = true;
	vec_push(&u->d->field,
		(struct dw_field){.off = v->off,
			.x = x,
			.span = *span,
			.size = v->size,
			.leb = true});
}

/* Notes values that matter if the unit grows. */
static void note_value(const struct unit *u, const struct value *v)
{
	enum storage storage = form_of(u, v->form).storage;
	if (v->class == REFERENCE)
		vec_push(&u->d->field,
			(struct dw_field){.off = v->off,
				.x = v->x,
				.size = v->size,
				.leb = storage == ULEB,
				.ref = true});
	u->grow->fixed |= storage == BLOCK_ULEB || storage == BLOCK_FIXED;
}

/* Entries -------------------------------------------------------------- */

static void add_list(const struct unit *u, struct place at)
{
	if (u->grow && at.sec)
		u->grow->fixed |= section_named(at.sec, ".debug_loc") ||
			section_named(at.sec, ".debug_loclists");
	if (at.sec && !at.sec->dropped)
		vec_push(&u->d->list,
			(struct dw_list){.sec = at.sec,
				.off = at.off,
				.base = u->base,
				.addr = u->addr});
}

/* An index into the offsets at the unit's base for this kind of list. */
static void add_indexed_list(const struct unit *u, const struct value *v)
{
	struct place at = v->form == FORM_RNGLISTX ? u->rnglists : u->loclists;
	unsigned size = u->wide ? 8 : 4;
	if (!at.sec || v->x >= at.sec->size / size)
		fatal_at(u->s, v->off, "index of a list out of range");
	struct reader r = dw_reader(u->d->o, at.sec, at.off + v->x * size, at.sec->size);
	uint64_t off = dw_offset(&r, u->wide);
	if (r.bad || off > at.sec->size - at.off)
		fatal_at(u->s, v->off, "index of a list out of range");
	at.off += off;
	add_list(u, at);
}

static bool is_list_section(const struct section *s)
{
	return section_named(s, ".debug_loc") || section_named(s, ".debug_loclists") ||
		section_named(s, ".debug_ranges") || section_named(s, ".debug_rnglists");
}

static void other_attr(const struct unit *u, uint32_t name, const struct value *v)
{
	bool old = u->version < 4 && v->class == CONSTANT && v->size == (u->wide ? 8 : 4);
	if (v->class == LIST_INDEX) {
		add_indexed_list(u, v);
	} else if ((v->class == SECTION_OFFSET || old) && name != AT_GNU_LOCVIEWS) {
		struct place at = dw_place(u->d->o, u->s, v->off);
		if (at.sec && section_is_code(at.sec))
			fatal_at(u->s, v->off, "list or table in a section of code");
		if (at.sec && is_list_section(at.sec))
			add_list(u, at);
	}
}

/* Sets the number at off in the section of abbreviations to x, in as many bytes. */
static void set_number(const struct unit *u, uint64_t off, uint8_t x)
{
	struct section *s = u->abbrevs->at.sec;
	struct reader r = reader_make(s->data, s->size);
	read_skip(&r, off);
	read_uleb(&r);
	vec_push(&u->d->patch,
		(struct dw_patch){.sec = s->index,
			.off = off,
			.value = x,
			.size = number_size(s, off, &r),
			.leb = true});
}

/*
 * The rest of the unit is in a .dwo file, which has lengths and lists of the old code.  A reserved
 * number hides the attribute with its name (7.5.4), and the one with its signature, so that no
 * consumer looks for the file.
 */
static void leave_split(const struct unit *u, const struct entry *e, const struct value *v)
{
	set_number(u, v->attr->off, AT_RESERVED);
	if (e->abbrev->tag == TAG_SKELETON_UNIT)
		set_number(u, e->abbrev->tag_off, TAG_COMPILE_UNIT);
	u->s->nsplit++;
}

static void entry_attr(const struct unit *u, struct entry *e, uint32_t name, const struct value *v)
{
	switch (name) {
	case AT_LOW_PC: e->low = *v; break;
	case AT_HIGH_PC: e->high = *v; break;
	case AT_ENTRY_PC: e->start = *v; break;
	case AT_CALL_RETURN_PC: set_use(u, v, REF_RANGE_END); break;
	case AT_CALL_PC: set_use(u, v, REF_EXACT); break;
	case AT_ADDR_BASE:
	case AT_RNGLISTS_BASE:
	case AT_LOCLISTS_BASE:
	case AT_GNU_ADDR_BASE:
	case AT_GNU_RANGES_BASE: break;
	case AT_DWO_NAME:
	case AT_GNU_DWO_NAME: leave_split(u, e, v); break;
	case AT_GNU_DWO_ID: set_number(u, v->attr->off, AT_RESERVED); break;
	default: other_attr(u, name, v);
	}
}

static void end_entry(const struct unit *u, const struct entry *e)
{
	struct place low = value_place(u, &e->low);
	if (e->low.form)
		set_use(u, &e->low,
			e->abbrev->tag == TAG_GNU_CALL_SITE ? REF_RANGE_END : REF_ADDRESS);
	if (e->high.form && e->high.class != CONSTANT) {
		struct place high = value_place(u, &e->high);
		bool empty = high.sec == low.sec && high.off == low.off;
		if (high.sec == low.sec)
			dw_note(&low, 0, high.off - low.off, false);
		set_use(u, &e->high, empty ? REF_ADDRESS : REF_SCOPE_END);
	}
	if (e->high.form && e->high.class == CONSTANT && dw_moves(&low)) {
		struct dw_span span =
			dw_new_span(&low, e->high.x, REF_SCOPE_END, u->s, e->high.off);
		set_constant(u, &e->high, &span);
	}
	if (!e->start.form || e->start.class != CONSTANT)
		return;
	if (!e->low.form)
		fatal_at(u->s, e->start.off, "DW_AT_entry_pc without DW_AT_low_pc");
	if (!dw_moves(&low))
		return;
	struct dw_span span = {.code = low.sec,
		.from = dw_new(&low, 0, REF_ADDRESS, u->s, e->low.off),
		.to = dw_new(&low, e->start.x, REF_ADDRESS, u->s, e->start.off)};
	set_constant(u, &e->start, &span);
}

/* The unit's first entry has the bases of indices and lists in the unit. */
static void read_bases(struct unit *u, struct reader r, const struct abbrev *a)
{
	struct value low = {0};
	for (uint32_t i = 0; i < a->n && !r.bad; i++) {
		const struct attr *at = &u->abbrevs->attr.v[a->first + i];
		struct value v = read_value(u, &r, at);
		switch (at->name) {
		case AT_LOW_PC: low = v; break;
		case AT_ADDR_BASE:
		case AT_GNU_ADDR_BASE: u->addr = dw_place(u->d->o, u->s, v.off); break;
		case AT_RNGLISTS_BASE: u->rnglists = dw_place(u->d->o, u->s, v.off); break;
		case AT_LOCLISTS_BASE: u->loclists = dw_place(u->d->o, u->s, v.off); break;
		default: break;
		}
	}
	u->base = value_place(u, &low);
}

static void walk_entries(struct unit *u, struct reader *r)
{
	bool first = true;
	while (r->p < r->end && !r->bad) {
		uint64_t at = reader_at(r);
		uint64_t code = read_uleb(r);
		if (!code)
			continue;
		const struct abbrev *a = find_abbrev(u->abbrevs, code);
		if (!a)
			fatal_at(u->s, at, "unknown abbreviation %llu", (unsigned long long)code);
		if (first)
			read_bases(u, *r, a);
		first = false;
		struct entry e = {.abbrev = a};
		for (uint32_t i = 0; i < a->n && !r->bad; i++) {
			const struct attr *attr = &u->abbrevs->attr.v[a->first + i];
			struct value v = read_value(u, r, attr);
			if (!r->bad)
				entry_attr(u, &e, attr->name, &v);
			if (!r->bad && u->grow)
				note_value(u, &v);
		}
		if (r->bad)
			fatal_at(u->s, at, "truncated entry of debug information");
		end_entry(u, &e);
	}
}

static struct place read_header(struct unit *u, struct reader *r, uint64_t at)
{
	unsigned type = 0;
	u->version = read_u16(r);
	if (u->version < 2 || u->version > 5)
		fatal_at(u->s, at, "debug information of unknown version %u", u->version);
	if (u->version >= 5) {
		type = read_u8(r);
		dw_check_address(u->d->o, read_u8(r), 0, u->s, at);
	}
	uint64_t field = reader_at(r);
	uint64_t off = dw_offset(r, u->wide);
	if (u->version < 5)
		dw_check_address(u->d->o, read_u8(r), 0, u->s, at);
	u->types = type == UT_TYPE || type == UT_SPLIT_TYPE;
	if (u->types)
		read_skip(r, u->wide ? 16 : 12);
	else if (type == UT_SKELETON || type == UT_SPLIT)
		read_skip(r, 8);
	struct place abbrevs = dw_place(u->d->o, u->s, field);
	if (r->bad || !abbrevs.sec || off > abbrevs.sec->size)
		fatal_at(u->s, field, "unit without abbreviations");
	return abbrevs;
}

void debug_info_walk(struct dwarf *d, struct section *s)
{
	struct reader r = dw_reader(d->o, s, 0, s->size);
	struct abbrevs abbrevs = {0};
	while (r.p < r.end) {
		uint64_t at = reader_at(&r);
		struct dw_length len = dw_read_length(s, &r);
		struct unit u = {.d = d, .s = s, .end = len.end, .wide = len.wide};
		struct reader body = r;
		body.end = r.start + len.end;
		u.abbrevs = &abbrevs;
		struct place table = read_header(&u, &body, at);
		read_abbrevs(&abbrevs, &table);
		if (abbrevs.lebs) {
			vec_push(&d->unit,
				(struct dw_unit){.sec = s->index,
					.off = at,
					.end = len.end,
					.wide = len.wide,
					.fixed = u.types,
					.field = d->field.n});
			u.grow = &d->unit.v[d->unit.n - 1];
		}
		walk_entries(&u, &body);
		r.p = r.start + len.end;
	}
	vec_free(&abbrevs.v);
	vec_free(&abbrevs.attr);
}
