/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_lists.c - range and location lists after layout
 *
 * DWARF 5, sections 2.6.2, 2.17.3, 7.7.3 and 7.25 (.debug_loclists, .debug_rnglists);
 * DWARF 4, sections 2.6.2 and 2.17.3 (.debug_loc, .debug_ranges).  Offsets are relative
 * to a base address of the unit or of an entry of the list, so only lists that a unit
 * refers to are rewritten.  Bytes between lists are copied: headers, and gcc's pairs of
 * view numbers.
 */
#include "reloc/meta/dwarf.h"

#include "reloc/fix.h"

/* DW_LLE_*; DW_RLE_* are the same but for the last entries */
enum {
	LE_END = 0,
	LE_BASEX = 1,
	LE_STARTX_ENDX = 2,
	LE_STARTX_LENGTH = 3,
	LE_OFFSET_PAIR = 4,
	LLE_DEFAULT = 5,
	LLE_BASE = 6,
	LLE_START_END = 7,
	LLE_START_LENGTH = 8,
	LLE_VIEW_PAIR = 9,
	RLE_BASE = 5,
	RLE_START_END = 6,
	RLE_START_LENGTH = 7,
};

struct lists {
	struct dwarf *d;
	struct recode rc;
	struct section *s;
	bool loc;		 /* locations, not ranges */
	struct place base, addr; /* of the current list */
	bool two_bases;		 /* a list that is its tail has another base, up to a base entry */
};

static bool has_none(const struct section *s, uint64_t off)
{
	uint32_t i = section_first_reloc(s, off);
	return i < s->nrel && s->rel[i].off == off && s->rel[i].type == R_NONE;
}

/* A range belongs to a scope; a location is valid for the original code in it. */
static enum ref_use list_end(const struct lists *l)
{
	return l->loc ? REF_RANGE_END : REF_SCOPE_END;
}

/* The new distances of [b, e) from the base. */
struct pair {
	struct dw_span b, e;
};

/* A location begins where the code before it ends. */
static struct pair new_pair(const struct lists *l, uint64_t b, uint64_t e, uint64_t at)
{
	struct dw_span base = {l->base.sec, dw_new(&l->base, 0, REF_ADDRESS, l->s, at), 0};
	uint64_t from = dw_new(&l->base, b, l->loc ? REF_RANGE_BEGIN : REF_ADDRESS, l->s, at);
	uint64_t to = dw_new(&l->base, e, list_end(l), l->s, at);
	struct pair p = {base, base};
	dw_note(&l->base, b, e, false);
	dw_note(&l->base, 0, e, true);
	if (l->two_bases)
		fatal_at(l->s, at, "offset from two base addresses");
	if (from < base.from && map_cut_behind(l->base.sec->map, l->base.off) <= l->base.off + b)
		fatal_at(l->s, at, "offset from a base address that is behind it now");
	p.b.to = from > base.from ? from : base.from;
	p.e.to = b >= e || to < from || to < base.from ? p.b.to : to;
	return p;
}

/* An address field with its relocation as use says. */
static void put_address(struct lists *l, uint64_t off, enum ref_use use)
{
	const struct reloc *r = recode_find(&l->rc, off);
	struct place p = dw_place(l->d->o, l->s, off);
	if (!r || !dw_moves(&p)) {
		recode_copy(&l->rc, off, off + l->rc.o->word);
		return;
	}
	recode_reloc(&l->rc, fix_reloc(l->d->o, l->s, r, use));
	dw_put_address(&l->rc, 0);
}

/* Two addresses.  An empty range stays so. */
static void put_range(struct lists *l, uint64_t off, const struct place *from,
	const struct place *to)
{
	bool empty = from->sec == to->sec && from->off == to->off;
	if (from->sec == to->sec)
		dw_note(from, 0, to->off - from->off, false);
	put_address(l, off, l->loc || empty ? REF_RANGE_BEGIN : REF_ADDRESS);
	put_address(l, off + l->rc.o->word, empty ? REF_RANGE_BEGIN : list_end(l));
}

/* DWARF 2 to 4 ---------------------------------------------------------- */

static void put_old_pair(struct lists *l, uint64_t b, uint64_t e, uint64_t at)
{
	struct pair p = {{.to = b}, {.to = e}};
	const unsigned bits = 8 * l->rc.o->word;
	bool moves = dw_moves(&l->base);
	if (moves)
		p = new_pair(l, b, e, at);
	/* An empty range at the base would end the list, too. */
	bool none = !dw_length_of(&p.b) && !dw_length_of(&p.e);
	if (moves && !none) {
		dw_put_span(&l->rc, &p.b, bits);
		dw_put_span(&l->rc, &p.e, bits);
		return;
	}
	dw_put_address(&l->rc, none ? 1 : b);
	dw_put_address(&l->rc, none ? 1 : e);
}

/* One entry; false: the list's end.  No entry changes its size. */
static bool old_entry(struct lists *l, struct reader *r)
{
	uint64_t at = reader_at(r);
	const struct object *o = l->d->o;
	const unsigned word = o->word;
	uint64_t b = dw_address(o, r), e = dw_address(o, r);
	uint64_t base = word == 8 ? UINT64_MAX : UINT32_MAX; /* the mark of a base address */
	struct place from = dw_place(o, l->s, at);
	struct place to = dw_place(o, l->s, at + word);
	if (r->bad)
		fatal_at(l->s, at, "list of addresses without an end");
	if (has_none(l->s, at) || has_none(l->s, at + word)) {
		/* Both 0 would end the list. */
		dw_put_address(&l->rc, 1);
		dw_put_address(&l->rc, 1);
	} else if (b == base && !from.sec) {
		recode_copy(&l->rc, at, at + 2 * word);
		l->base = to;
		l->two_bases = false;
		return true;
	} else if (from.sec || to.sec) {
		put_range(l, at, &from, &to);
	} else if (b || e) {
		put_old_pair(l, b, e, at);
	} else {
		recode_copy(&l->rc, at, at + 2 * word);
		return false;
	}
	if (l->loc) {
		uint64_t size = read_u16(r);
		read_skip(r, size);
		if (r->bad)
			fatal_at(l->s, at, "truncated location");
		recode_copy(&l->rc, at + 2 * word, reader_at(r));
	}
	return true;
}

/* DWARF 5 ---------------------------------------------------------------- */

/* Kinds of ranges as those of locations. */
static unsigned entry_kind(const struct lists *l, uint8_t op)
{
	if (l->loc)
		return op <= LLE_VIEW_PAIR ? op : UINT8_MAX;
	switch (op) {
	case RLE_BASE: return LLE_BASE;
	case RLE_START_END: return LLE_START_END;
	case RLE_START_LENGTH: return LLE_START_LENGTH;
	default: return op <= LE_OFFSET_PAIR ? op : UINT8_MAX;
	}
}

/* An index into the unit's table of addresses, of what starts there. */
static struct place read_addrx(struct lists *l, struct reader *r)
{
	uint64_t index = read_uleb(r);
	if (l->addr.sec)
		vec_push(&l->d->ref,
			(struct field_ref){.sec = l->addr.sec->index,
				.off = l->addr.off + index * l->d->o->word,
				.use = REF_ADDRESS});
	return dw_addrx(l->d->o, &l->addr, index);
}

/* The length of a range of len bytes from p. */
static void put_length(struct lists *l, const struct place *p, uint64_t len, uint64_t at)
{
	if (!dw_moves(p)) {
		buf_uleb(&l->rc.out, len);
		return;
	}
	struct dw_span span = dw_new_span(p, len, list_end(l), l->s, at);
	dw_put_span(&l->rc, &span, 0);
}

static void put_startx_length(struct lists *l, struct reader *r, uint64_t at)
{
	struct place p = read_addrx(l, r);
	uint64_t field = reader_at(r);
	uint64_t len = read_uleb(r);
	recode_copy(&l->rc, at, field);
	put_length(l, &p, len, at);
}

static void put_start_length(struct lists *l, struct reader *r, uint64_t at)
{
	struct place p = dw_place(l->d->o, l->s, at + 1);
	dw_address(l->d->o, r);
	uint64_t len = read_uleb(r);
	if (r->bad)
		return;
	recode_copy(&l->rc, at, at + 1 + l->d->o->word);
	put_length(l, &p, len, at);
}

static void put_offset_pair(struct lists *l, struct reader *r, uint64_t at)
{
	uint64_t b = read_uleb(r), e = read_uleb(r);
	if (r->bad || !dw_moves(&l->base)) {
		recode_copy(&l->rc, at, reader_at(r));
		return;
	}
	struct pair p = new_pair(l, b, e, at);
	recode_copy(&l->rc, at, at + 1);
	dw_put_span(&l->rc, &p.b, 0);
	dw_put_span(&l->rc, &p.e, 0);
}

static void put_startx_endx(struct lists *l, struct reader *r, uint64_t at)
{
	struct place from = read_addrx(l, r);
	uint64_t index = read_uleb(r);
	if (r->bad)
		return;
	struct place to = dw_addrx(l->d->o, &l->addr, index);
	if (from.sec == to.sec)
		dw_note(&from, 0, to.off - from.off, false);
	if (l->addr.sec)
		vec_push(&l->d->ref,
			(struct field_ref){.sec = l->addr.sec->index,
				.off = l->addr.off + index * l->d->o->word,
				.use = list_end(l)});
	recode_copy(&l->rc, at, reader_at(r));
}

static void put_start_end(struct lists *l, struct reader *r, uint64_t at)
{
	read_skip(r, 2 * l->d->o->word);
	if (r->bad)
		return;
	struct place from = dw_place(l->d->o, l->s, at + 1);
	struct place to = dw_place(l->d->o, l->s, at + 1 + l->d->o->word);
	recode_copy(&l->rc, at, at + 1);
	put_range(l, at + 1, &from, &to);
}

static bool new_entry(struct lists *l, struct reader *r)
{
	uint64_t at = reader_at(r);
	unsigned kind = entry_kind(l, read_u8(r));
	switch (kind) {
	case LE_END:
	case LLE_DEFAULT: recode_copy(&l->rc, at, reader_at(r)); break;
	case LE_BASEX:
		l->base = read_addrx(l, r);
		recode_copy(&l->rc, at, reader_at(r));
		break;
	case LE_STARTX_ENDX: put_startx_endx(l, r, at); break;
	case LE_STARTX_LENGTH: put_startx_length(l, r, at); break;
	case LE_OFFSET_PAIR: put_offset_pair(l, r, at); break;
	case LLE_BASE:
		l->base = dw_place(l->d->o, l->s, at + 1);
		l->two_bases = false;
		read_skip(r, l->d->o->word);
		recode_copy(&l->rc, at, reader_at(r));
		break;
	case LLE_START_END: put_start_end(l, r, at); break;
	case LLE_START_LENGTH: put_start_length(l, r, at); break;
	case LLE_VIEW_PAIR:
		read_uleb(r);
		read_uleb(r);
		recode_copy(&l->rc, at, reader_at(r));
		break;
	default: fatal_at(l->s, at, "unknown kind of list entry");
	}
	if (l->loc && kind != LE_END && kind != LE_BASEX && kind != LLE_BASE &&
		kind != LLE_VIEW_PAIR) {
		uint64_t from = reader_at(r);
		read_skip(r, read_uleb(r));
		if (!r->bad)
			recode_copy(&l->rc, from, reader_at(r));
	}
	if (r->bad)
		fatal_at(l->s, at, "truncated list entry");
	return kind != LE_END;
}

/* Sections -------------------------------------------------------------- */

static bool same_place(const struct place *a, const struct place *b)
{
	return a->sec == b->sec && a->off == b->off;
}

/* Begin the lists at off: the current one, and lists that are tails of it. */
static size_t begin_lists(struct lists *l, size_t i, size_t n, uint64_t off)
{
	for (; i < n && l->d->list.v[i].off <= off; i++) {
		const struct dw_list *list = &l->d->list.v[i];
		if (list->off < off)
			fatal_at(l->s, list->off, "lists overlap");
		if (!same_place(&l->addr, &list->addr))
			fatal_at(l->s, list->off, "lists with two tables of addresses overlap");
		if (!same_place(&l->base, &list->base))
			l->two_bases = true;
		recode_label(&l->rc, off);
	}
	return i;
}

/* Rewrite list i and those that are its tails; *pos: its end.  Returns the next list. */
static size_t put_list(struct lists *l, size_t i, size_t n, uint64_t end, bool v5, uint64_t *pos)
{
	const struct dw_list *list = &l->d->list.v[i];
	struct reader r = dw_reader(l->d->o, l->s, list->off, end);
	bool more = true;
	l->base = list->base;
	l->addr = list->addr;
	l->two_bases = false;
	while (more) {
		i = begin_lists(l, i, n, reader_at(&r));
		more = v5 ? new_entry(l, &r) : old_entry(l, &r);
	}
	*pos = reader_at(&r);
	return i;
}

static void copy_gap(struct lists *l, uint64_t from, uint64_t to)
{
	if (from >= to)
		return;
	recode_label(&l->rc, from);
	recode_copy(&l->rc, from, to);
}

/* Rewrite lists [i, n) up to end; pos: the end of the bytes copied so far.  Returns the next list.
 */
static size_t put_lists(struct lists *l, size_t i, size_t n, uint64_t pos, uint64_t end, bool v5)
{
	while (i < n && l->d->list.v[i].off < end) {
		const struct dw_list *list = &l->d->list.v[i];
		if (list->off < pos)
			fatal_at(l->s, list->off, "lists overlap");
		copy_gap(l, pos, list->off);
		i = put_list(l, i, n, end, v5, &pos);
	}
	copy_gap(l, pos, end);
	return i;
}

/* The table of offsets behind a header: the new offsets of the lists. */
static void put_table(struct lists *l, uint64_t table, uint64_t new_table, uint64_t count,
	bool wide)
{
	unsigned size = wide ? 8 : 4;
	const struct addrmap m = {.frag = l->rc.label.v,
		.n = l->rc.label.n,
		.old_size = l->s->size,
		.new_size = l->rc.out.n};
	for (uint64_t i = 0; i < count; i++) {
		struct reader r = dw_reader(l->d->o, l->s, table + i * size, l->s->size);
		uint64_t off = dw_offset(&r, wide);
		if (off > l->s->size - table)
			fatal_at(l->s, table + i * size, "list outside its section");
		uint64_t new = map_addr(&m, table + off, REF_RANGE_END) - new_table;
		uint8_t *field = l->rc.out.v + new_table + i * size;
		put_word(field, size, l->d->o->big, new);
	}
}

static size_t put_contribution(struct lists *l, struct reader *r, size_t i, size_t n)
{
	uint64_t start = l->rc.out.n;
	struct dw_length len = dw_read_length(l->s, r);
	struct reader head = *r;
	head.end = r->start + len.end;
	unsigned version = read_u16(&head);
	unsigned addr_size = read_u8(&head), seg_size = read_u8(&head);
	uint64_t count = read_u32(&head);
	uint64_t table = reader_at(&head);
	if (head.bad || version != 5 || addr_size != l->d->o->word || seg_size)
		fatal_at(l->s, len.field, "bad header of lists");
	if (count > (len.end - table) / (len.wide ? 8 : 4))
		fatal_at(l->s, len.field, "truncated table of lists");
	uint64_t body = table + count * (len.wide ? 8 : 4);
	recode_label(&l->rc, len.field);
	recode_copy(&l->rc, len.field, body);
	uint64_t new_table = l->rc.out.n - (body - table);
	i = put_lists(l, i, n, body, len.end, true);
	dw_put_length(&l->rc, &len, start);
	put_table(l, table, new_table, count, len.wide);
	r->p = r->start + len.end;
	return i;
}

void debug_lists_rewrite(struct dwarf *d, struct section *s, size_t i, size_t end)
{
	struct lists l = {.d = d, .rc.o = d->o, .s = s};
	l.loc = section_named(s, ".debug_loc") || section_named(s, ".debug_loclists");
	recode_open(&l.rc, s);
	if (section_named(s, ".debug_loc") || section_named(s, ".debug_ranges")) {
		i = put_lists(&l, i, end, 0, s->size, false);
	} else {
		struct reader r = dw_reader(d->o, s, 0, s->size);
		while (r.p < r.end)
			i = put_contribution(&l, &r, i, end);
	}
	if (i < end)
		fatal_at(s, d->list.v[i].off, "list outside its section");
	recode_close(&l.rc);
	recode_finish(&l.rc, s);
}
