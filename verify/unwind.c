/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind.c - unwind tables before and after: FDEs and exception tables
 */
#include "verify/debug.h"
#include "verify/flow.h"
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
	struct tables ta, tb;
	struct tables gone;	       /* those of ta whose FDEs cover nothing */
	const struct section *ea, *eb; /* of the current FDEs */
	const struct eh_fde *fa, *fb;
	uint64_t cie_a, cie_b; /* the CIEs compared last, by section and offset */
	const struct section *cie_ea, *cie_eb;
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

/* Are the symbols and types equal? */
static bool same_form(const struct reloc *a, const struct reloc *b)
{
	return a->sym == b->sym && a->type == b->type;
}

static bool all_zero(const uint8_t *p, uint64_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

static void check_cie(struct unwind *u)
{
	const struct eh_cie *a = u->fa->cie, *b = u->fb->cie;
	if (u->cie_ea == u->ea && u->cie_eb == u->eb && u->cie_a == a->off && u->cie_b == b->off)
		return;
	u->cie_ea = u->ea;
	u->cie_eb = u->eb;
	u->cie_a = a->off;
	u->cie_b = b->off;
	uint64_t na = a->end - a->body, nb = b->end - b->body, n = na < nb ? na : nb;
	const uint8_t *pa = u->ea->data + a->body, *pb = u->eb->data + b->body;
	if (memcmp(pa, pb, n) != 0 || !all_zero(pa + n, na - n) || !all_zero(pb + n, nb - n) ||
		!same_relocs(u->ea, a->body, a->end, u->eb, b->body))
		vfail(u->v, u->ea, u->fa->off, "the FDE has another CIE now");
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

static bool read_table(const struct object *o, const struct tables *all, const struct eh_fde *f,
	struct table *t)
{
	uint32_t sec;
	uint64_t off;
	*t = (struct table){.base = f->start, .base_sec = f->code->index};
	if (!place_of(o, f->lsda_rel, 0, &sec, &off) || off >= o->sec.v[sec].size ||
		!o->sec.v[sec].data)
		return false;
	t->s = &o->sec.v[sec];
	struct reader r = section_reader(o, t->s, t->s->size);
	read_skip(&r, off);
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
	uint64_t next = next_table(all, t->s, off);
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
	uint32_t a = u->fa->code->index, b = u->fb->code->index;
	uint64_t x = u->fa->start, y = u->fb->start;
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
			vfail(v, u->fa->code, u->fa->start + c.start,
				"the call site has another range, landing pad or action now");
			return;
		}
	}
}

static void check_exceptions(struct unwind *u)
{
	struct verify *v = u->v;
	struct table a, b;
	if (!u->fa->lsda_rel != !u->fb->lsda_rel) {
		vfail(v, u->ea, u->fa->off, "the FDE lost its exception table");
		return;
	}
	if (!u->fa->lsda_rel || (u->fa->cie->foreign && u->fb->cie->foreign))
		return;
	v->nlsda++;
	if (!same_form(u->fa->lsda_rel, u->fb->lsda_rel) || !read_table(v->a, &u->ta, u->fa, &a) ||
		!read_table(v->b, &u->tb, u->fb, &b) || a.enc != b.enc ||
		v->pair[a.s->index] != b.s->index || a.has_base != b.has_base) {
		vfail(v, u->ea, u->fa->lsda, "the FDE refers to another exception table now");
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
	while ((e = next_fde(&f)))
		if (e->lsda_rel && !e->cie->foreign && read_table(v->a, &all, e, &t))
			table_pads(v, e, &t, pads);
	vec_free(&all);
	if (pads->n)
		sort(pads->v, pads->n, sizeof *pads->v, pad_cmp);
}

/* FDEs ------------------------------------------------------------------ */

static void check_fde(struct unwind *u)
{
	struct verify *v = u->v;
	const struct eh_fde *a = u->fa, *b = u->fb;
	const struct vtext *t = text_at(v, a->code->index);
	v->nfde++;
	if (v->pair[a->code->index] != b->code->index || !same_form(a->rel, b->rel)) {
		vfail(v, u->ea, a->off, "the FDE belongs to other code now");
		return;
	}
	if (t && t->broken)
		return;
	/* An early FDE starts one byte in front of its function; so must the new one. */
	unsigned early = a->early;
	bool ends = a->range ? same_place(v, a->code->index, a->start + a->range, b->code->index,
				       b->start + b->range, USE_PAST)
			     : !b->range;
	bool starts =
		same_start(v, a->code->index, a->start + early, b->code->index, b->start + early);
	if (!ends || !starts) {
		vfail(v, a->code, a->start,
			"the FDE is for 0x%llx..0x%llx now, not for this function",
			(unsigned long long)b->start, (unsigned long long)(b->start + b->range));
		return;
	}
	check_cie(u);
	verify_rows(v, u->ea, a, u->eb, b);
	check_exceptions(u);
}

/* FDEs that cover nothing must be dropped from .eh_frame; .debug_frame keeps them. */
static const struct eh_fde *next_old_fde(struct fdes *f)
{
	const struct eh_fde *e;
	do
		e = next_fde(f);
	while (e && !f->debug && !e->range);
	return e;
}

static void check_fdes(struct unwind *u, struct fdes a, struct fdes b)
{
	struct verify *v = u->v;
	for (;;) {
		u->fa = next_old_fde(&a);
		u->fb = next_fde(&b);
		if (!u->fa || !u->fb)
			break;
		u->ea = a.w.s;
		u->eb = b.w.s;
		check_fde(u);
	}
	if (u->fa || u->fb)
		vfail(v, u->fa ? a.w.s : b.w.s, u->fa ? u->fa->off : u->fb->off, "%s",
			u->fa ? "the FDE is gone" : "an FDE that was not there");
	if (a.open)
		eh_close(&a.w);
	if (b.open)
		eh_close(&b.w);
}

void verify_unwind(struct verify *v)
{
	struct unwind u = {.v = v};
	find_tables(v->a, false, &u.ta);
	find_tables(v->a, true, &u.gone);
	find_tables(v->b, false, &u.tb);
	check_fdes(&u, (struct fdes){.o = v->a}, (struct fdes){.o = v->b});
	vec_free(&u.ta);
	vec_free(&u.gone);
	vec_free(&u.tb);
}

void verify_debug_frame(struct verify *v)
{
	struct unwind u = {.v = v};
	check_fdes(&u, (struct fdes){.o = v->a, .debug = true, .pair = v->pair},
		(struct fdes){.o = v->b, .debug = true});
}
