/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind.c - unwind tables before and after: FDEs and exception tables
 */
#include "verify/debug.h"
#include "verify/flow.h"
#include "verify/frames.h"
#include "verify/landing.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/rows.h"

#include <stdlib.h>

/* Cursor over an object's FDEs in .eh_frame or .debug_frame, without those of discarded code. */
struct fdes {
	struct object *o;
	bool debug;	      /* of .debug_frame */
	const uint32_t *pair; /* skip sections without a pair; NULL: skip none */
	uint32_t sec;
	struct eh_walk w;
	bool open;
};

struct tables {
	VEC(struct vbase); /* starts of exception tables, sorted */
};

struct unwind {
	struct verify *v;
	struct addresses where;
	struct tables ta, tb;
	struct tables gone; /* those of ta whose FDEs cover nothing */
	struct frame a, b;  /* the current ones */
	/* the CIEs compared last, by section and offset */
	struct vbase cie_a, cie_b;
};

static bool has_fdes(const struct fdes *f, const struct section *s)
{
	if (f->pair && !f->pair[s->index])
		return false;
	return f->debug ? is_debug_frame(s) : is_eh_frame(s);
}

static const struct eh_fde *next_fde(struct fdes *f)
{
	for (;;) {
		if (f->open) {
			const struct eh_fde *e = eh_next(&f->w);
			if (e && e->rel && e->code)
				return e;
			if (e)
				continue;
			eh_close(&f->w);
			f->open = false;
		}
		while (++f->sec < f->o->sec.n && !has_fdes(f, &f->o->sec.v[f->sec]))
			;
		if (f->sec >= f->o->sec.n)
			return NULL;
		eh_open(&f->w, f->o, &f->o->sec.v[f->sec]);
		f->open = true;
	}
}

static bool all_zero(const uint8_t *p, uint64_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

static void check_cie(struct unwind *u)
{
	const struct frame *a = &u->a, *b = &u->b;
	struct vbase x = {a->s->index, a->cie}, y = {b->s->index, b->cie};
	if (!vbase_cmp(&x, &u->cie_a) && !vbase_cmp(&y, &u->cie_b))
		return;
	u->cie_a = x;
	u->cie_b = y;
	uint64_t na = a->cie_end - a->cie_body, nb = b->cie_end - b->cie_body,
		 n = na < nb ? na : nb;
	const uint8_t *pa = a->s->data + a->cie_body, *pb = b->s->data + b->cie_body;
	if (memcmp(pa, pb, n) != 0 || !all_zero(pa + n, na - n) || !all_zero(pb + n, nb - n) ||
		!same_relocs(a->s, a->cie_body, a->cie_end, b->s, b->cie_body))
		vfail(u->v, a->s, a->off, "the FDE has another CIE now");
}

/* Exception tables ------------------------------------------------------ */

/*
 * Offsets are into the section.  A function in several sections has a table for each; they share
 * the actions behind the last one, so the others' call sites end at the next table.
 */
struct table {
	const struct section *s;
	uint64_t sites, sites_end, actions, types;
	uint64_t base; /* landing pads are relative to it */
	uint32_t base_sec;
	uint8_t enc;
	bool has_base;
};

/* Collect the starts of exception tables; empty: only those of FDEs that cover nothing. */
static void find_tables(struct object *o, bool empty, struct tables *all)
{
	struct fdes f = {.o = o};
	const struct eh_fde *e;
	while ((e = next_fde(&f))) {
		struct vbase t;
		if (e->lsda_rel && !e->cie->foreign && !(empty && e->range) &&
			place_of(o, e->lsda_rel, 0, &t.sec, &t.off))
			vec_push(all, t);
	}
	if (all->n)
		sort(all->v, all->n, sizeof *all->v, vbase_cmp);
}

/* The first table behind off in section s, or the section's end. */
static uint64_t next_table(const struct tables *all, const struct section *s, uint64_t off)
{
	struct vbase key = {s->index, off};
	size_t i;
	BISECT(i, 0, all->n, vbase_cmp(&all->v[i], &key) <= 0);
	return i < all->n && all->v[i].sec == s->index ? all->v[i].off : s->size;
}

static bool read_base(const struct object *o, struct table *t, uint64_t field)
{
	uint32_t i = section_first_reloc(t->s, field);
	return i < t->s->nrel && t->s->rel[i].off == field &&
		place_of(o, &t->s->rel[i], 0, &t->base_sec, &t->base);
}

/* The table at a place, of the code that begins at another. */
static bool read_table(const struct object *o, const struct tables *all, struct vbase at,
	struct vbase code, struct table *t)
{
	*t = (struct table){.base = code.off, .base_sec = code.sec, .s = &o->sec.v[at.sec]};
	if (at.off >= t->s->size || !t->s->data)
		return false;
	struct reader r = section_reader(o, t->s, t->s->size);
	read_skip(&r, at.off);
	uint8_t enc = read_u8(&r);
	if (enc != EH_OMIT) {
		t->has_base = true;
		if (!read_base(o, t, reader_at(&r)))
			return false;
		eh_read(&r, eh_encoding(o, enc));
	}
	if (read_u8(&r) != EH_OMIT) {
		uint64_t dist = read_uleb(&r);
		t->types = reader_at(&r) + dist;
	}
	t->enc = eh_encoding(o, read_u8(&r));
	uint64_t n = read_uleb(&r);
	t->sites = reader_at(&r);
	t->actions = t->sites + n;
	uint64_t next = next_table(all, t->s, at.off);
	t->sites_end = t->actions < next ? t->actions : next;
	return !r.bad && n <= t->s->size - t->sites &&
		(!t->types || (t->types >= t->actions && t->types <= t->s->size));
}

struct call_site {
	uint64_t start, len, pad, action;
};

static struct call_site next_site(struct reader *r, uint8_t enc)
{
	struct call_site c;
	c.start = eh_read(r, enc);
	c.len = eh_read(r, enc);
	c.pad = eh_read(r, enc);
	c.action = read_uleb(r);
	return c;
}

static bool same_site(const struct unwind *u, const struct table *ta, const struct call_site *c,
	const struct table *tb, const struct call_site *n)
{
	const struct verify *v = u->v;
	uint32_t a = u->a.code.sec, b = u->b.code.sec;
	uint64_t x = u->a.code.off, y = u->b.code.off;
	if (c->action != n->action || !c->pad != !n->pad)
		return false;
	if (c->start ? !same_place(v, a, x + c->start, b, y + n->start, USE_END) : n->start != 0)
		return false;
	if (!same_place(v, a, x + c->start + c->len, b, y + n->start + n->len, USE_END))
		return false;
	return !c->pad ||
		same_place(v, ta->base_sec, ta->base + c->pad, tb->base_sec, tb->base + n->pad,
			USE_BRANCH);
}

/* Is there one more call site?  In front of another table, fewer than 4 bytes are padding. */
static bool more_sites(const struct reader *r, const struct table *t)
{
	return r->end - r->p >= (t->sites_end < t->actions ? 4 : 1);
}

static void check_sites(struct unwind *u, const struct table *a, const struct table *b)
{
	struct verify *v = u->v;
	struct reader ra = section_reader(v->a, a->s, a->sites_end);
	struct reader rb = section_reader(v->b, b->s, b->sites_end);
	read_skip(&ra, a->sites);
	read_skip(&rb, b->sites);
	/* If the next table's FDE is dropped, the new table's end is not known exactly. */
	bool open = a->sites_end < a->actions &&
		next_table(&u->gone, a->s, a->sites_end - 1) == a->sites_end;
	while (more_sites(&ra, a) || (!open && more_sites(&rb, b))) {
		uint64_t at = reader_at(&ra);
		struct call_site c = next_site(&ra, a->enc), n = next_site(&rb, b->enc);
		v->nsite_call++;
		if (ra.bad || rb.bad) {
			vfail(v, a->s, at, "the exception table has other call sites now");
			return;
		}
		if (!same_site(u, a, &c, b, &n)) {
			vfail(v, &v->a->sec.v[u->a.code.sec], u->a.code.off + c.start,
				"the call site has another range, landing pad or action now");
			return;
		}
	}
	/* of distances, the reader has taken the terms away */
	uint32_t i = section_first_reloc(b->s, b->sites);
	if (i < b->s->nrel && b->s->rel[i].off < (open ? reader_at(&rb) : b->sites_end))
		vfail(v, b->s, b->s->rel[i].off, "a call site that is no distance");
}

static void check_exceptions(struct unwind *u)
{
	struct verify *v = u->v;
	struct table a, b;
	if (!u->a.table.sec != !u->b.table.sec) {
		vfail(v, u->a.s, u->a.off, "the FDE lost its exception table");
		return;
	}
	if (!u->a.table.sec || (u->a.foreign && u->b.foreign))
		return;
	v->nlsda++;
	if (!read_table(v->a, &u->ta, u->a.table, u->a.code, &a) ||
		!read_table(v->b, &u->tb, u->b.table, u->b.code, &b) || a.enc != b.enc ||
		v->pair[a.s->index] != b.s->index || a.has_base != b.has_base) {
		vfail(v, u->a.s, u->a.off, "the FDE refers to another exception table now");
		return;
	}
	check_sites(u, &a, &b);
	uint64_t n = a.types - a.actions;
	if (!a.types != !b.types)
		vfail(v, a.s, a.sites, "the exception table lost its types");
	else if (a.types &&
		(b.types - b.actions != n ||
			memcmp(a.s->data + a.actions, b.s->data + b.actions, n) != 0 ||
			!same_relocs(a.s, a.actions, a.types, b.s, b.actions)))
		vfail(v, a.s, a.actions, "the actions or types of the exception table changed");
}

/* Landing pads ---------------------------------------------------------- */

static void table_pads(const struct verify *v, const struct eh_fde *f, const struct table *t,
	vpad_vec *pads)
{
	const struct vtext *code = text_at(v, f->code->index), *to = text_at(v, t->base_sec);
	struct reader r = section_reader(v->a, t->s, t->sites_end);
	read_skip(&r, t->sites);
	while (code && to && more_sites(&r, t)) {
		struct call_site c = next_site(&r, t->enc);
		uint64_t x = f->start + c.start, pad = t->base + c.pad;
		if (r.bad)
			break;
		if (c.pad && c.len && pad < to->a->size && x < code->a->size)
			vec_push(pads,
				(struct vpad){insn_at(v, code, x), insn_at(v, code, x + c.len - 1),
					insn_at(v, to, pad)});
	}
}

static int pad_cmp(const void *a, const void *b)
{
	const struct vpad *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

void find_pads(struct verify *v, vpad_vec *pads)
{
	struct fdes f = {.o = v->a};
	struct tables all = {0};
	const struct eh_fde *e;
	struct table t;
	find_tables(v->a, false, &all);
	while ((e = next_fde(&f))) {
		struct vbase at, code = {e->code ? e->code->index : 0, e->start};
		if (e->lsda_rel && !e->cie->foreign &&
			place_of(v->a, e->lsda_rel, 0, &at.sec, &at.off) &&
			read_table(v->a, &all, at, code, &t))
			table_pads(v, e, &t, pads);
	}
	vec_free(&all);
	if (pads->n)
		sort(pads->v, pads->n, sizeof *pads->v, pad_cmp);
}

/* FDEs ------------------------------------------------------------------ */

/* Have the two FDEs the same relocations, but for addends? */
static bool same_forms(const struct frame *a, const struct frame *b)
{
	uint32_t i = section_first_reloc(a->s, a->body), k = section_first_reloc(b->s, b->body);
	for (;; i++, k++) {
		while (i < a->s->nrel && a->s->rel[i].off < a->end && !a->s->rel[i].type)
			i++;
		while (k < b->s->nrel && b->s->rel[k].off < b->end && !b->s->rel[k].type)
			k++;
		bool more = i < a->s->nrel && a->s->rel[i].off < a->end;
		if (more != (k < b->s->nrel && b->s->rel[k].off < b->end))
			return false;
		if (!more)
			return true;
		if (a->s->rel[i].sym != b->s->rel[k].sym || a->s->rel[i].type != b->s->rel[k].type)
			return false;
	}
}

/* Is the range of old code that of new code? */
static bool same_code(const struct unwind *u)
{
	const struct frame *a = &u->a, *b = &u->b;
	const struct vbase *x = &a->code, *y = &b->code;
	/* An early FDE starts one byte in front of its function; so must the new one. */
	unsigned early = a->early;
	bool ends = a->f.range ? same_place(u->v, x->sec, x->off + a->f.range, y->sec,
					 y->off + b->f.range, USE_PAST)
			       : !b->f.range;
	return ends && same_start(u->v, x->sec, x->off + early, y->sec, y->off + early);
}

static void check_frame(struct unwind *u)
{
	struct verify *v = u->v;
	const struct frame *a = &u->a, *b = &u->b;
	v->nfde++;
	if (!a->known || !b->known) {
		if (a->known || b->known)
			vfail(v, a->s, a->off, "the FDE cannot be read any more, or only now");
		v->unproved++;
		return;
	}
	if (v->pair[a->code.sec] != b->code.sec || !same_forms(a, b)) {
		vfail(v, a->s, a->off, "the FDE belongs to other code now");
		return;
	}
	const struct vtext *t = text_at(v, a->code.sec);
	if (t && t->broken)
		return;
	if (!same_code(u)) {
		vfail(v, &v->a->sec.v[a->code.sec], a->code.off,
			"the FDE is for 0x%llx..0x%llx now, not for this function",
			(unsigned long long)b->code.off,
			(unsigned long long)(b->code.off + b->f.range));
		return;
	}
	check_cie(u);
	if (a->f.set_loc || b->f.set_loc)
		v->unproved++;
	else
		verify_rows(v, a, b);
	if (a->s->flags & SHF_ALLOC)
		check_exceptions(u);
}

/* FDEs that cover nothing must be dropped from .eh_frame; .debug_frame keeps them. */
static bool next_old(struct frames *c, struct frame *f)
{
	bool more;
	do
		more = frames_next(c, f);
	while (more && !c->debug && f->known && !f->f.range);
	return more;
}

static void check_frames(struct unwind *u, bool debug)
{
	struct frames a = frames_open(u->v, &u->where, OLD, debug),
		      b = frames_open(u->v, &u->where, NEW, debug);
	for (;;) {
		bool more = next_old(&a, &u->a), nmore = frames_next(&b, &u->b);
		if (more != nmore)
			vfail(u->v, more ? u->a.s : u->b.s, more ? u->a.off : u->b.off, "%s",
				more ? "the FDE is gone" : "an FDE that was not there");
		if (!more || !nmore)
			break;
		check_frame(u);
	}
	frames_close(&a);
	frames_close(&b);
}

/* Sections that nothing reads are not checked. */
static bool skip(struct verify *v, bool debug)
{
	for (uint32_t i = 1; i < v->a->sec.n && !v->opt.dwarf; i++)
		v->nskipped += debug ? is_debug_frame(&v->a->sec.v[i]) && v->pair[i]
				     : is_eh_frame(&v->a->sec.v[i]);
	return !v->opt.dwarf;
}

void verify_unwind(struct verify *v)
{
	struct unwind u = {.v = v};
	if (skip(v, false))
		return;
	addresses_make(&u.where, v);
	find_tables(v->a, false, &u.ta);
	find_tables(v->a, true, &u.gone);
	find_tables(v->b, false, &u.tb);
	check_frames(&u, false);
	vec_free(&u.ta);
	vec_free(&u.gone);
	vec_free(&u.tb);
	addresses_free(&u.where);
}

void verify_debug_frame(struct verify *v)
{
	struct unwind u = {.v = v};
	if (skip(v, true))
		return;
	addresses_make(&u.where, v);
	check_frames(&u, true);
	addresses_free(&u.where);
}
