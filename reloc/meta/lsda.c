/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lsda.c - language-specific data areas (exception tables)
 *
 * The format is gcc's (gcc/except.cc, libgcc's unwind-pe.h; Itanium C++ ABI,
 * "Exception Handling Tables"), which clang, rustc, gnat and gdc emit too.  An LSDA does not name
 * its function: an FDE refers to it, and its offsets count from the code of that FDE.
 *
 *	landing pad base: encoding, value	(encoding 0xff: none, the function)
 *	type table: encoding, distance to its end (encoding 0xff: none)
 *	call sites: encoding, bytes; then start, length, landing pad, action each
 *	actions; types, growing down from the end; exception specifications
 *
 * Only the call sites are rewritten.  Everything behind them moves as a whole, by a multiple of
 * its alignment, for which the size field is padded.
 *
 * LLVM gives a function in several sections (-fbasic-block-sections,
 * -fsplit-machine-functions) an LSDA for each of them, all with the actions and types of the
 * last: the size of each other call-site table extends to there, over the headers of the
 * LSDAs that follow.
 */
#include "reloc/meta/codec.h"
#include "reloc/diff.h"
#include "reloc/meta/eh.h"

#include <stdlib.h>

enum { MAX_PAD = 8, TABLE_ALIGN = 4 };

/* An LSDA and the function it belongs to. */
struct owner {
	struct section *sec; /* of the LSDA */
	uint64_t off;
	uint64_t next; /* start of the next LSDA, or the section's end */
	struct section *code;
	uint64_t start, new_start;
	const struct section *eh; /* the FDE, for messages */
	bool big;		  /* the object's byte order */
	uint64_t fde;
};
struct owners {
	VEC(struct owner);
};

/* Offsets are into the section. */
struct lsda {
	uint64_t tt;	 /* the field with the distance to the type table's end */
	uint64_t tt_end; /* the end of that field; 0: no type table */
	uint64_t tt_dist;
	uint64_t cs_size;    /* the call-site table's encoding byte is before this field */
	uint64_t cs, cs_end; /* the call sites */
	uint64_t tail;	     /* the actions */
	uint8_t cs_enc;
	struct section *pad_code; /* landing pads are relative to pad_base in it */
	uint64_t pad_base;
	bool pad_given;
};

struct site {
	uint64_t start, len, pad; /* as in the table */
	uint64_t action;
	uint64_t off; /* of the record */
};

static void no_relocs(const struct section *s, uint64_t from, uint64_t to)
{
	uint32_t i = section_first_reloc(s, from);
	if (i < s->nrel && s->rel[i].off < to)
		fatal_at(s, s->rel[i].off, "relocation in a call-site table");
}

/* Types are data and do not move. */
static void check_types(const struct object *o, const struct section *s, uint64_t from, uint64_t to)
{
	for (uint32_t i = section_first_reloc(s, from); i < s->nrel && s->rel[i].off < to; i++) {
		uint64_t off;
		const struct section *t = reloc_target(o, &s->rel[i], &off);
		if (t && section_is_code(t))
			fatal_at(s, s->rel[i].off, "the type of an exception is code");
	}
}

static void read_pad_base(const struct object *o, const struct owner *w, struct reader *r,
	struct lsda *l)
{
	uint8_t enc = eh_encoding(o, read_u8(r));
	l->pad_code = w->code;
	l->pad_base = w->start;
	if (enc == EH_OMIT)
		return;
	uint64_t field = reader_at(r), symoff;
	eh_read(r, enc);
	uint32_t i = section_first_reloc(w->sec, field);
	if (r->bad || i == w->sec->nrel || w->sec->rel[i].off != field || (enc & EH_INDIRECT))
		fatal_at(w->sec, field, "landing pad base without a relocation");
	l->pad_code = reloc_target(o, &w->sec->rel[i], &symoff);
	if (!l->pad_code)
		fatal_at(w->sec, field, "landing pad base outside of the object");
	l->pad_base = symoff + (uint64_t)w->sec->rel[i].addend;
	l->pad_given = true;
	if (l->pad_base > l->pad_code->size)
		fatal_at(w->sec, field, "landing pad base outside section %s", l->pad_code->name);
}

/* The end of the call sites of an LSDA that contains later headers: a record has 4 bytes or more.
 */
static uint64_t part_end(const struct owner *w, const struct lsda *l)
{
	struct reader r = reader_make(w->sec->data, w->next);
	r.big = w->big;
	read_skip(&r, l->cs);
	while (!r.bad && r.end - r.p >= TABLE_ALIGN) {
		for (int i = 0; i < 3; i++)
			eh_read(&r, l->cs_enc);
		read_uleb(&r);
	}
	uint64_t end = reader_at(&r);
	while (r.p < r.end && !*r.p)
		r.p++;
	if (r.bad || r.p < r.end)
		fatal_at(w->sec, w->off, "truncated exception table");
	return end;
}

static void read_lsda(const struct object *o, const struct owner *w, struct lsda *l)
{
	const struct section *s = w->sec;
	struct reader r = reader_make(s->data, w->next);
	r.big = w->big;
	memset(l, 0, sizeof *l);
	read_skip(&r, w->off);
	read_pad_base(o, w, &r, l);
	if (read_u8(&r) != EH_OMIT) {
		l->tt = reader_at(&r);
		l->tt_dist = read_uleb(&r);
		l->tt_end = reader_at(&r);
	}
	l->cs_enc = read_u8(&r);
	l->cs_size = reader_at(&r);
	uint64_t size = read_uleb(&r);
	l->cs = reader_at(&r);
	if (r.bad || size > s->size - l->cs)
		fatal_at(s, w->off, "truncated exception table");
	l->tail = l->cs + size;
	if (l->tt_end && (l->tt_dist > s->size - l->tt_end || l->tt_end + l->tt_dist < l->tail))
		fatal_at(s, l->tt, "type table outside its exception table");
	if ((l->cs_enc & ~EH_FORMAT) || l->cs_enc == EH_ABSPTR)
		fatal_at(s, l->cs_size - 1, "unknown call-site encoding 0x%x", l->cs_enc);
	l->cs_end = l->tail <= w->next ? l->tail : part_end(w, l);
	no_relocs(s, l->cs, l->cs_end);
	if (l->tt_end)
		check_types(o, s, l->tail, l->tt_end + l->tt_dist);
}

/* The next call site, checked; false at the end. */
static bool next_site(const struct owner *w, const struct lsda *l, struct reader *r, struct site *c)
{
	const struct section *s = w->sec;
	if (r->p == r->end)
		return false;
	c->off = reader_at(r);
	c->start = eh_read(r, l->cs_enc);
	c->len = eh_read(r, l->cs_enc);
	c->pad = eh_read(r, l->cs_enc);
	c->action = read_uleb(r);
	if (r->bad)
		fatal_at(s, c->off, "bad call site");
	uint64_t room = w->code->size - w->start;
	if (c->start > room || c->len > room - c->start)
		fatal_at(s, c->off, "call site outside section %s", w->code->name);
	if (c->pad > l->pad_code->size - l->pad_base)
		fatal_at(s, c->off, "landing pad outside section %s", l->pad_code->name);
	return true;
}

static struct reader site_reader(const struct owner *w, const struct lsda *l)
{
	struct reader r = reader_make(w->sec->data, l->cs_end);
	r.big = w->big;
	read_skip(&r, l->cs);
	return r;
}

static int cmp_owner(const void *pa, const void *pb)
{
	const struct owner *a = pa, *b = pb;
	if (a->sec != b->sec)
		return a->sec->index < b->sec->index ? -1 : 1;
	return a->off < b->off ? -1 : a->off > b->off;
}

static void add_owner(const struct object *o, const struct eh_fde *f, const struct section *eh,
	struct owners *all)
{
	uint64_t symoff;
	struct section *s = reloc_target(o, f->lsda_rel, &symoff);
	if (!s)
		fatal_at(eh, f->lsda, "exception table outside of the object");
	uint64_t off = symoff + (uint64_t)f->lsda_rel->addend;
	if (!s->data || off >= s->size)
		fatal_at(eh, f->lsda, "exception table outside section %s", s->name);
	vec_push(all,
		(struct owner){
			.sec = s,
			.off = off,
			.code = f->code,
			.start = f->start,
			.new_start = eh_new_start(f),
			.eh = eh,
			.big = o->big,
			.fde = f->off,
		});
}

/* Several FDEs may share an LSDA, if all are of the same code. */
static void unique_owners(struct owners *all)
{
	size_t n = 0;
	if (all->n)
		sort(all->v, all->n, sizeof *all->v, cmp_owner);
	for (size_t i = 0; i < all->n; i++) {
		const struct owner *w = &all->v[i];
		const struct owner *last = n ? &all->v[n - 1] : NULL;
		if (last && last->sec == w->sec && last->off == w->off) {
			if (last->code != w->code || last->start != w->start)
				fatal_at(w->sec, w->off, "exception table of two functions");
			continue;
		}
		all->v[n++] = *w;
	}
	all->n = n;
	for (size_t i = 0; i < n; i++) {
		struct owner *w = &all->v[i];
		w->next = i + 1 < n && w[1].sec == w->sec ? w[1].off : w->sec->size;
	}
}

static void find_owners(const struct object *o, struct owners *all)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		struct eh_walk w;
		const struct eh_fde *f;
		if (!is_eh_frame(s))
			continue;
		eh_open(&w, o, s);
		while ((f = eh_next(&w)))
			if (f->lsda_rel && !f->cie->foreign && f->code && !f->code->dropped)
				add_owner(o, f, s, all);
		eh_close(&w);
	}
	unique_owners(all);
}

/* Rewriting ------------------------------------------------------------ */

/* The distance of `to' from `from', new offsets in section code, as a field of the site at off. */
static void put_value(struct recode *rc, const struct owner *w, uint64_t off, uint8_t enc,
	const struct section *code, uint64_t from, uint64_t to)
{
	unsigned size = eh_size(enc);
	uint64_t x = to - from;
	if (enc == EH_SLEB) {
		if (diff_shrinks(rc->o, code, from, to))
			fatal_at(w->sec, off, "call site of code that is relaxed, with a sign");
		buf_sleb(&rc->out, (int64_t)x);
		return;
	}
	if (size && x >> (size * 8 - 1) > (size == 8))
		fatal_at(w->sec, off, "call site does not fit its encoding after layout");
	recode_distance(rc, code, from, to, size * 8, 0);
}

/*
 * hazard: call sites without relocations.  The call-site table of an LSDA is ULEB128
 * distances from the start of the function: they grow, and so do the offsets that skip
 * them.
 */
static void put_site(struct recode *rc, const struct owner *w, const struct lsda *l,
	const struct site *c)
{
	const struct addrmap *m = w->code->map;
	uint64_t start = w->new_start;
	if (c->start)
		start = map_addr(m, w->start + c->start, REF_RANGE_END);
	if (start < w->new_start)
		start = w->new_start;
	uint64_t end = map_addr(m, w->start + c->start + c->len, REF_RANGE_END);
	put_value(rc, w, c->off, l->cs_enc, w->code, w->new_start, start);
	put_value(rc, w, c->off, l->cs_enc, w->code, start, end > start ? end : start);
	uint64_t base = w->new_start, pad = base;
	if (c->pad) {
		if (l->pad_given)
			base = map_addr(l->pad_code->map, l->pad_base, REF_ADDRESS);
		pad = map_addr(l->pad_code->map, l->pad_base + c->pad, REF_BRANCH);
	}
	put_value(rc, w, c->off, l->cs_enc, l->pad_code, base, pad);
	buf_uleb(&rc->out, c->action);
}

/* x in at least n bytes, n <= 10. */
static void put_long_uleb(struct buf *b, uint64_t x, unsigned n)
{
	size_t start = b->n;
	buf_uleb(b, x);
	if (b->n - start >= n)
		return;
	b->v[b->n - 1] |= 0x80;
	while (b->n - start < n - 1)
		buf_u8(b, 0x80);
	buf_u8(b, 0);
}

static unsigned uleb_size(uint64_t x)
{
	unsigned n = 1;
	while (x >>= 7)
		n++;
	return n;
}

/* The rewritten part of an LSDA. */
struct part {
	const struct owner *w;
	struct lsda l;
	struct recode sites;	/* only its output */
	uint64_t size, tt_dist; /* the new fields and their lengths */
	unsigned size_len, tt_len;
};
/* Parts with one tail: mostly a single one. */
struct group {
	VEC(struct part);
	uint64_t limit; /* start of the next group, or the section's end */
};

/*
 * Make the new fields, from the last part to the first.  The last size field has pad bytes more
 * than it needs.  Returns by how much everything behind the call sites moves.
 */
static uint64_t fit_fields(struct group *g, unsigned pad)
{
	uint64_t behind = 0; /* from behind the current part to the tail */
	for (size_t i = g->n; i-- > 0; pad = 0) {
		struct part *p = &g->v[i];
		const struct lsda *l = &p->l;
		uint64_t gap = (l->tail <= p->w->next ? l->tail : p->w->next) - l->cs_end;
		p->size = p->sites.out.n + gap + behind;
		p->size_len = uleb_size(p->size) + pad;
		uint64_t len = p->size_len + p->size;
		if (l->tt_end) {
			unsigned old = (unsigned)(l->tt_end - l->tt);
			len += l->cs_size - l->tt_end;
			p->tt_dist = len + l->tt_end + l->tt_dist - l->tail;
			p->tt_len = uleb_size(p->tt_dist);
			if (p->tt_len < old && old <= 10)
				p->tt_len = old;
			len += p->tt_len + l->tt - p->w->off;
		} else {
			len += l->cs_size - p->w->off;
		}
		behind = len;
	}
	return behind - (g->v[0].l.tail - g->v[0].w->off);
}

/* Everything behind the call sites moves by a multiple of its alignment. */
static void fit_group(struct group *g)
{
	const struct section *s = g->v[0].w->sec;
	uint64_t align = s->align > TABLE_ALIGN ? MAX_PAD : TABLE_ALIGN;
	for (unsigned pad = 0; fit_fields(g, pad) % align; pad++)
		if (pad == 2 * MAX_PAD)
			fatal_at(s, g->v[0].w->off, "exception table cannot be aligned");
}

static void put_part(struct recode *rc, const struct part *p)
{
	const struct lsda *l = &p->l;
	recode_label(rc, p->w->off);
	if (l->tt_end) {
		recode_copy(rc, p->w->off, l->tt);
		put_long_uleb(&rc->out, p->tt_dist, p->tt_len);
		recode_copy(rc, l->tt_end, l->cs_size);
	} else {
		recode_copy(rc, p->w->off, l->cs_size);
	}
	put_long_uleb(&rc->out, p->size, p->size_len);
	for (size_t i = 0; i < p->sites.rel.n; i++) {
		struct reloc r = p->sites.rel.v[i];
		r.off += rc->out.n;
		vec_push(&rc->rel, r);
	}
	buf_put(&rc->out, p->sites.out.v, p->sites.out.n);
	recode_label(rc, l->cs_end);
}

static void put_group(struct recode *rc, struct group *g)
{
	bool same = true;
	for (size_t i = 0; i < g->n; i++) {
		struct part *p = &g->v[i];
		struct reader r = site_reader(p->w, &p->l);
		struct site c;
		p->sites.o = rc->o;
		p->sites.out.big = rc->o->big;
		while (next_site(p->w, &p->l, &r, &c))
			put_site(&p->sites, p->w, &p->l, &c);
		uint64_t n = p->l.cs_end - p->l.cs;
		same = same && !p->sites.rel.n && p->sites.out.n == n &&
			(!n || !memcmp(p->sites.out.v, p->w->sec->data + p->l.cs, n));
	}
	if (!same)
		fit_group(g);
	for (size_t i = 0; i < g->n; i++) {
		struct part *p = &g->v[i];
		uint64_t end = i + 1 < g->n ? p->w->next : g->limit;
		if (same) {
			recode_label(rc, p->w->off);
			recode_copy(rc, p->w->off, end);
		} else {
			put_part(rc, p);
			recode_copy(rc, p->l.cs_end, end);
		}
		vec_free(&p->sites.out);
		vec_free(&p->sites.rel);
	}
}

/* The group that begins with owner i; returns the first owner behind it. */
static size_t read_group(const struct object *o, const struct owners *all, size_t i, size_t end,
	struct group *g)
{
	g->n = 0;
	do {
		struct part p = {.w = &all->v[i]};
		read_lsda(o, p.w, &p.l);
		vec_push(g, p);
		const struct lsda *first = &g->v[0].l;
		if (p.l.tail != first->tail || !p.l.tt_end != !first->tt_end ||
			p.l.tt_end + p.l.tt_dist != first->tt_end + first->tt_dist)
			fatal_at(p.w->sec, p.w->off, "truncated exception table");
		g->limit = p.w->next;
		i++;
	} while (i < end && all->v[i].off < g->v[0].l.tail);
	const struct lsda *l = &g->v[0].l;
	if (l->tt_end && l->tt_end + l->tt_dist > g->limit)
		fatal_at(g->v[0].w->sec, l->tt, "type table outside its exception table");
	return i;
}

/* The owners [i, end) are those of one section. */
static void rewrite_section(struct object *o, const struct owners *all, size_t i, size_t end)
{
	struct section *s = all->v[i].sec;
	struct recode rc = {.o = o};
	struct group g = {0};
	bool changes = false;
	for (size_t k = i; k < end; k++)
		changes |= map_changes(all->v[k].code->map);
	if (!changes)
		return;
	recode_open(&rc, s);
	recode_label(&rc, 0);
	recode_copy(&rc, 0, all->v[i].off);
	while (i < end) {
		i = read_group(o, all, i, end, &g);
		put_group(&rc, &g);
	}
	vec_free(&g);
	recode_close(&rc);
	recode_finish(&rc, s);
}

void lsda_rewrite(struct object *o)
{
	struct owners all = {0};
	find_owners(o, &all);
	for (size_t i = 0, end; i < all.n; i = end) {
		for (end = i + 1; end < all.n && all.v[end].sec == all.v[i].sec;)
			end++;
		rewrite_section(o, &all, i, end);
	}
	vec_free(&all);
}

/* Labels, before layout ------------------------------------------------ */

typedef void label_fn(void *ctx, uint32_t sec, uint64_t off, uint64_t len, enum unwind_label kind);

static void fde_labels(const struct object *o, label_fn *label, void *ctx)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		struct eh_walk w;
		const struct eh_fde *f;
		if (!is_eh_frame(s))
			continue;
		eh_open(&w, o, s);
		while ((f = eh_next(&w))) {
			if (!f->code || f->code->dropped)
				continue;
			label(ctx, f->code->index, f->start + f->early, 0, LABEL_FDE_START);
			if (f->lsda_rel && f->cie->foreign)
				label(ctx, f->code->index, f->start, f->range, LABEL_FOREIGN);
		}
		eh_close(&w);
	}
}

void unwind_labels(const struct object *o, label_fn *label, void *ctx)
{
	struct owners all = {0};
	fde_labels(o, label, ctx);
	find_owners(o, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct owner *w = &all.v[i];
		struct lsda l;
		struct site c;
		read_lsda(o, w, &l);
		struct reader r = site_reader(w, &l);
		while (next_site(w, &l, &r, &c))
			if (c.pad) {
				label(ctx, l.pad_code->index, l.pad_base + c.pad, 0,
					LABEL_LANDING_PAD);
				label(ctx, w->code->index, w->start + c.start, c.len, LABEL_CAUGHT);
			}
	}
	vec_free(&all);
}
