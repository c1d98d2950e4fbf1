/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - unwind rows of the old and the new FDE
 *
 * Outside of inserted code both must have the same rules from corresponding places on.  In inserted
 * code that moves the stack pointer, a row must equal the row in front of that code, adjusted by
 * how far the stack pointer has moved.
 */
#include "verify/frames.h"
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/rows.h"
#include "verify/sites.h"

#include <stdlib.h>

struct rows {
	struct verify *v;
	const struct frame *a, *b;
	size_t i, k;	       /* the next rows */
	struct vmoving moving; /* the remaining sites in the FDE */
};

static uint64_t row_at(const struct verify *v, const struct frame *f, size_t i)
{
	return f->code.off + (v->opt.dwarf->row_address(f->file, i) - f->f.start);
}

/* Does the new FDE's next row begin at y? */
static bool begins(const struct rows *w, uint64_t y)
{
	return w->k < w->b->f.n && row_at(w->v, w->b, w->k) == y;
}

static bool same_rules(const struct rows *w, size_t i, size_t k, uint32_t down)
{
	return w->v->opt.dwarf->same_rules(w->a->file, i, w->b->file, k,
		w->v->target->abi.stack_dwarf, down);
}

/* A row begins at the end of the old instruction before it, or at the function's start. */
static bool same_row(const struct rows *w, size_t i, size_t k)
{
	uint64_t x = row_at(w->v, w->a, i), y = row_at(w->v, w->b, k);
	if (x == w->a->code.off)
		return y == w->b->code.off;
	return same_place(w->v, w->a->code.sec, x, w->b->code.sec, y, USE_END);
}

/* Inserted code --------------------------------------------------------- */

static void next_site(struct vmoving *m)
{
	while (m->site < m->last && !m->site->pattern->nstack)
		m->site++;
}

struct vmoving moving_sites(const struct verify *v, uint32_t sec, uint64_t x, uint64_t start,
	uint64_t end)
{
	const struct vtext *t = text_at(v, sec);
	struct vmoving m = {0};
	if (!t || !v->site.n)
		return m;
	uint32_t text = (uint32_t)(t - v->text.v);
	const struct vsite *all = v->site.v + v->site.n;
	m.site = first_site(v, text, before_padding(v, t, insn_at(v, t, x)));
	while (m.site < all && m.site->text == text && m.site->at < start)
		m.site++;
	for (m.last = m.site;
		m.last < all && m.last->text == text && m.last->at >= start && m.last->end <= end;)
		m.last++;
	next_site(&m);
	return m;
}

void moving_next(struct vmoving *m)
{
	m->site++;
	next_site(m);
}

static bool site_failed(const struct rows *w, uint64_t at)
{
	vfail(w->v, &w->v->a->sec.v[w->a->code.sec], w->a->code.off,
		"the unwind row at 0x%llx is wrong where inserted code moves the stack pointer",
		(unsigned long long)at);
	return false;
}

/* Is what follows the site, at y, the end of the FDE or a row of old code? */
static bool is_over(const struct rows *w, uint64_t y)
{
	return y == w->b->code.off + w->b->f.range ||
		(begins(w, y) && w->i < w->a->f.n && same_row(w, w->i, w->k) &&
			same_rules(w, w->i, w->k, 0));
}

/* Check b's rows in the next site, from the next row on. */
static bool check_site(struct rows *w)
{
	const struct vsite *s = w->moving.site;
	const struct pattern *p = s->pattern;
	for (uint32_t i = 0; i < p->nstack; i++) {
		const struct stack_move *m = &p->stack[i];
		uint64_t at = s->at + m->at;
		w->v->nmoved++;
		if (i + 1 == p->nstack && !m->down && is_over(w, at))
			break;
		w->k += begins(w, at);
		if (!w->i || !w->k || !same_rules(w, w->i - 1, w->k - 1, m->down))
			return site_failed(w, at);
	}
	if (w->k < w->b->f.n && row_at(w->v, w->b, w->k) < s->end)
		return site_failed(w, s->end);
	moving_next(&w->moving);
	return true;
}

/* The whole ------------------------------------------------------------- */

/* Skip rows of no-ops that are gone: the next row is in the same place now. */
static void skip_empty(struct rows *w)
{
	while (w->i + 1 < w->a->f.n && !same_rules(w, w->i, w->k, 0) && same_row(w, w->i, w->k) &&
		same_row(w, w->i + 1, w->k))
		w->i++;
}

static bool check_row(struct rows *w)
{
	skip_empty(w);
	w->v->nrow++;
	if (!same_rules(w, w->i, w->k, 0)) {
		vfail(w->v, w->a->s, w->a->off, "the FDE at 0x%llx has other rows now",
			(unsigned long long)w->b->off);
		return false;
	}
	if (!same_row(w, w->i, w->k)) {
		vfail(w->v, &w->v->a->sec.v[w->a->code.sec], row_at(w->v, w->a, w->i),
			"the unwind row begins at 0x%llx now, which is another place",
			(unsigned long long)row_at(w->v, w->b, w->k));
		return false;
	}
	w->i++;
	w->k++;
	return true;
}

void verify_rows(struct verify *v, const struct frame *a, const struct frame *b)
{
	struct rows w = {.v = v, .a = a, .b = b};
	w.moving = moving_sites(v, a->code.sec, a->code.off, b->code.off, b->code.off + b->f.range);
	for (;;) {
		bool more = w.k < b->f.n;
		while (moving_left(&w.moving) && (!more || row_at(v, b, w.k) > w.moving.site->at)) {
			if (!check_site(&w))
				return;
			more = w.k < b->f.n;
		}
		if (!more || w.i == a->f.n)
			break;
		if (!check_row(&w))
			return;
	}
	if (w.k != b->f.n || w.i != a->f.n)
		vfail(v, a->s, a->off, "the FDE at 0x%llx has more or fewer rows now",
			(unsigned long long)b->off);
}
