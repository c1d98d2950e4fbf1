/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - address maps by a fixpoint; see layout.h
 */
#include "instr/layout.h"

#include "base/parallel.h"
#include "cfg/refs.h"

#include <stdlib.h>

/* What happens at one old offset; lengths as in struct edit. */
struct event {
	uint32_t off;
	uint32_t fall, func, edge, block;
	uint32_t span;		/* old bytes replaced: no-ops in front of a label, or a branch */
	uint32_t pad_align;	/* no-ops: alignment of what stands behind them; else 0 */
	uint32_t branch;	/* a branch that may grow: its insn + 1; else 0 */
	uint32_t entry_align;	/* of the entry label, or 0 */
	uint32_t keep_align;	/* an opaque range begins: its address modulo this stays, or 0 */
};

struct lay {
	const struct plan *p;
	const struct cfg *g;
	struct text *t;
	struct layout *l;
	struct arena *arena;
	VEC(struct event) ev;
};

/* The stub that the branch of insn i leads through, or NULL. */
static const struct stub *stub_of(const struct plan *p, const struct layout *l, uint32_t i)
{
	uint32_t k, end = l->stub + l->nstub;
	BISECT(k, l->stub, end, p->stub.v[k].branch < i);
	return k < end && p->stub.v[k].branch == i ? &p->stub.v[k] : NULL;
}

uint64_t layout_target(const struct plan *p, const struct layout *l, uint32_t i, uint64_t off)
{
	const struct stub *s = stub_of(p, l, i);
	if (s)
		return map_addr(&l->map, off, REF_EDGE) + s->skip;
	return map_addr(&l->map, off, (enum ref_use)p->g->insn.v[i].use);
}

/* Events --------------------------------------------------------------- */

static int event_cmp(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	return x->off < y->off ? -1 : x->off > y->off;
}

static void site_events(struct lay *w)
{
	const struct plan *p = w->p;
	for (uint32_t i = w->l->site; i < w->l->site + w->l->nsite; i++) {
		const struct site *s = &p->site.v[i];
		struct event e = { .off = s->off };
		uint32_t n = site_size(p, s);
		switch ((enum part)s->part) {
		case PART_FALL: e.fall = n; break;
		case PART_FUNC: e.func = n; break;
		case PART_EDGE: e.edge = n; break;
		case PART_BLOCK: e.block = n; break;
		}
		vec_push(&w->ev, e);
	}
}

static void pad_events(struct lay *w)
{
	const struct cfg *g = w->g;
	uint32_t ti = (uint32_t)(w->t - g->text.v);
	size_t i;
	BISECT(i, 0, g->padding.n, g->padding.v[i].text < ti);
	for (; i < g->padding.n && g->padding.v[i].text == ti; i++) {
		const struct padding *pd = &g->padding.v[i];
		vec_push(&w->ev, (struct event){ .off = (uint32_t)pd->from,
			.span = (uint32_t)(pd->to - pd->from), .pad_align = pd->align });
	}
}

/*
 * hazard: aligned data in text.  movdqa constants and unrolled rows need their address
 * modulo the alignment of the section.
 *
 * hazard: odd function address.  Bit 0 of a pointer to a member function means virtual, and
 * -Os aligns such functions to 2 only: an entry stays even.
 *
 * hazard: bytes in front of an entry.  Callers read the word in front of a function (type
 * hashes of -fsanitize=function and kcfi), or no-ops stand there to be patched: nothing
 * comes between.
 */
static void func_events(struct lay *w)
{
	const struct cfg *g = w->g;
	uint32_t end = w->t->func + w->t->nfunc, align = (uint32_t)w->t->sec->align;
	for (uint32_t f = w->t->func; f < end; f++) {
		const struct func *fn = &g->func.v[f];
		struct event e = { .off = (uint32_t)fn->start };
		/* even is ABI: pointers to member functions tell virtual ones by bit 0 */
		bool glued = fn->nblock && (g->insn.v[g->block.v[fn->block].insn].flags & INSN_GLUED);
		if (fn->why == OPAQUE_NOT && fn->is_code && align >= 2 && fn->start % 2 == 0 && !glued)
			e.entry_align = align >= 16 && fn->start % 16 == 0 ? 16 : 2;
		/* also behind another one: its entry may be counted */
		if (fn->why != OPAQUE_NOT)
			e.keep_align = align;
		if (e.entry_align || e.keep_align > 1)
			vec_push(&w->ev, e);
	}
}

static void branch_events(struct lay *w)
{
	const struct cfg *g = w->g;
	const struct text *t = w->t;
	for (uint32_t b = t->block; b < t->block + t->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		uint32_t i = bl->insn + bl->ninsn - 1;
		const struct insn *in = &g->insn.v[i];
		if (bl->gap || in->pc_size != 1 || g->func.v[bl->func].why != OPAQUE_NOT)
			continue;
		vec_push(&w->ev, (struct event){ .off = in->off, .span = in->len,
			.branch = i + 1 });
	}
}

/* One event for each offset.  A place is no-ops or a branch, never both. */
static void merge_events(struct lay *w)
{
	size_t n = 0;
	sort(w->ev.v, w->ev.n, sizeof *w->ev.v, event_cmp);
	for (size_t i = 0; i < w->ev.n; i++) {
		const struct event *e = &w->ev.v[i];
		struct event *last = n ? &w->ev.v[n - 1] : NULL;
		if (!last || last->off != e->off) {
			w->ev.v[n++] = *e;
			continue;
		}
		last->fall += e->fall;
		last->func += e->func;
		last->edge += e->edge;
		last->block += e->block;
		last->span |= e->span;
		last->pad_align |= e->pad_align;
		last->branch |= e->branch;
		last->entry_align |= e->entry_align;
		last->keep_align |= e->keep_align;
	}
	w->ev.n = n;
}

/* Positions ------------------------------------------------------------ */

static uint64_t padding_to(uint64_t pos, uint64_t align)
{
	return align ? -pos & (align - 1) : 0;
}

/* Lay the section out with the branch lengths of now.  What changes nothing makes no edit. */
static void place(struct lay *w)
{
	struct addrmap *m = &w->l->map;
	uint64_t from = 0, to = 0; /* where the last edit's change ends, old and new */
	m->n = 0;
	for (size_t k = 0; k < w->ev.n; k++) {
		const struct event *e = &w->ev.v[k], *next = k + 1 < w->ev.n ? e + 1 : NULL;
		struct edit ed = { .old = e->off, .new_end = to + (e->off - from), .fall = e->fall,
			.func = e->func, .edge = e->edge, .block = e->block };
		uint32_t inside = e->func + e->edge + e->block;
		uint64_t pos = ed.new_end + e->fall;
		if (e->keep_align)
			ed.pad = (uint32_t)padding_to(pos + inside - e->off, e->keep_align);
		else
			ed.pad = (uint32_t)padding_to(pos, e->entry_align);
		pos += ed.pad + inside;
		if (e->pad_align) {
			uint32_t fall = next && next->off == e->off + e->span ? next->fall : 0;
			ed.grow = (int64_t)padding_to(pos + fall, e->pad_align) - e->span;
		} else if (e->branch) {
			ed.grow = w->l->len[e->branch - 1 - w->t->insn] - (int64_t)e->span;
		}
		if (!ed.fall && !ed.pad && !inside && !ed.grow)
			continue;
		from = e->off + e->span;
		to = pos + (uint64_t)((int64_t)e->span + ed.grow);
		w->l->span[m->n] = e->span;
		m->edit[m->n++] = ed;
	}
	m->old_size = w->t->sec->size;
	m->new_size = to + (m->old_size - from);
}

static bool widen(struct lay *w)
{
	const struct cfg *g = w->g;
	const struct text *t = w->t;
	bool changed = false;
	size_t cursor = 0;
	for (size_t k = 0; k < w->ev.n; k++) {
		const struct event *e = &w->ev.v[k];
		if (!e->branch)
			continue;
		const struct insn *in = &g->insn.v[e->branch - 1];
		uint8_t *len = &w->l->len[e->branch - 1 - t->insn];
		struct ref r;
		cfg_ref(g, t, e->branch - 1, &r);
		int64_t at = (int64_t)map_addr_seq(&w->l->map, &cursor, e->off, REF_EXACT);
		int64_t to = (int64_t)layout_target(w->p, w->l, e->branch - 1, r.off);
		unsigned want = g->target->branch_len(in, to - at, *len);
		if (want > *len) {
			*len = (uint8_t)want;
			changed = true;
		}
	}
	return changed;
}

static void lay_out(struct lay *w)
{
	const struct cfg *g = w->g;
	struct arena *a = w->arena;
	struct text *t = w->t;
	w->ev.n = 0;
	if (!t->frozen) {
		site_events(w);
		pad_events(w);
		func_events(w);
		branch_events(w);
		merge_events(w);
	}
	w->l->len = arena_array(a, uint8_t, t->ninsn + 1);
	for (uint32_t i = 0; i < t->ninsn; i++)
		w->l->len[i] = g->insn.v[t->insn + i].len;
	w->l->map.edit = arena_array(a, struct edit, w->ev.n + 1);
	w->l->span = arena_array(a, uint32_t, w->ev.n + 1);
	do
		place(w);
	while (widen(w));
	t->sec->map = &w->l->map;
}

struct laying {
	const struct plan *p;
	struct layout *lay;
};

static void lay_out_part(void *ctx, size_t part, struct arena *arena)
{
	const struct laying *all = ctx;
	const struct cfg *g = all->p->g;
	struct lay w = { .p = all->p, .g = g, .arena = arena };
	for (uint32_t i = g->part.v[part]; i < g->part.v[part + 1]; i++) {
		w.t = &g->text.v[i];
		w.l = &all->lay[i];
		lay_out(&w);
	}
	vec_free(&w.ev);
}

struct layout *layout_make(const struct plan *p)
{
	const struct cfg *g = p->g;
	struct laying all = { .p = p, .lay = arena_array(g->arena, struct layout, g->text.n + 1) };
	uint32_t site = 0, stub = 0;
	for (uint32_t i = 0; i < g->text.n; i++) {
		uint32_t end = g->text.v[i].insn + g->text.v[i].ninsn;
		all.lay[i].site = site;
		while (site < p->site.n && p->site.v[site].text == i)
			site++;
		all.lay[i].nsite = site - all.lay[i].site;
		all.lay[i].stub = stub;
		while (stub < p->stub.n && p->stub.v[stub].branch < end)
			stub++;
		all.lay[i].nstub = stub - all.lay[i].stub;
	}
	parallel_into(g->arena, g->part.n - 1, lay_out_part, &all);
	return all.lay;
}
