/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landing.c - where a reference to a place of the old code may lead in the new code
 *
 * Code that was inserted in front of an instruction runs for some of the ways that lead to it: the
 * static map says for which.
 */
#include "verify/flow.h"
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/registers.h"
#include "verify/sites.h"

static bool same_code(const struct verify *v, const struct vtext *t, uint64_t x, uint64_t y,
	const struct way *w)
{
	enum use use = w->use;
	if (x > t->a->size) /* its distance from all labels of the section counts */
		return y == x && is_rigid(v, (uint32_t)(t - v->text.v));
	if (y > t->b->size)
		return false;
	uint32_t k = insn_at(v, t, x), i = k - t->first;
	bool end = i == t->n;
	const struct insn *in = end ? NULL : &v->insn.v[k];
	bool padding = in && is_padding(in);
	uint64_t lo = t->lo[i], hi = t->hi[i];
	const struct vrun *before;
	if ((use == USE_END || use == USE_PAST) && follows_run(t, k, &before)) {
		lo = before->end;
		hi = before->stop;
	}
	if (in && x != in->off)
		return padding ? y >= lo && y <= hi : y == hi + (x - in->off);
	if (use == USE_READ && !padding)
		return y == hi;
	if (use == USE_END && (i == 0 || !is_padding(&v->insn.v[k - 1])))
		return y == lo;
	if (y < lo || y > hi)
		return false;
	if (use == USE_PAST)
		return y == lo || bit_get(t->bound, y);
	return use == USE_READ || use == USE_END ||
		(bit_get(t->bound, y) && (end || runs_well(v, t, k, y, w)));
}

bool same_target(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y,
	const struct way *w)
{
	if (v->pair[a] != b)
		return false;
	const struct vtext *t = text_at(v, a);
	if (!t)
		return x == y;
	return t->broken || same_code(v, t, x, y, w);
}

bool same_place(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y,
	enum use use)
{
	struct way w = way_of(use);
	return same_target(v, a, x, b, y, &w);
}

bool same_start(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y)
{
	struct way w = way_of(USE_ENTER);
	w.nowhere = true;
	return same_target(v, a, x, b, y, &w);
}

/*
 * Does an entry of a table that leads to the block which c is about rightly run c?  What a tool
 * asked for is not proved to be on the right one of several jumps' edges where it is not known
 * which jump has the table.
 */
static bool entry_runs_right(const struct verify *v, const struct vcount *c, const struct way *w,
	bool runs)
{
	const struct insn *jump = w->jump == NO_INSN ? NULL : &v->insn.v[w->jump];
	if (!jump)
		return c->asked || runs == !c->shared;
	return runs == ((!c->shared && !c->asked) || jump->off + jump->len == c->end);
}

/*
 * Control comes to insn k by w: does it rightly run (runs) or not run counter c?  A branch need not
 * run the counter of the function's entries.
 */
static bool runs_right(const struct verify *v, const struct vtext *t, uint32_t k,
	const struct vcount *c, const struct way *w, bool runs)
{
	enum use use = w->use;
	const struct insn *from = w->by == NO_INSN ? NULL : &v->insn.v[w->by];
	bool own = from && w->by >= t->first && w->by < t->first + t->n;
	uint32_t x = v->insn.v[k].off;
	switch ((enum vcount_kind)c->kind) {
	case COUNTS_BLOCK: return runs == (c->from == x);
	case COUNTS_EDGE:
		return runs == (own && use == USE_BRANCH && from->off + from->len == c->end);
	case COUNTS_TABLE:
		return w->entry && c->from == x ? entry_runs_right(v, c, w, runs) : !runs;
	case COUNTS_FUNC: return use == USE_BRANCH || runs || c->from != x;
	case COUNTS_CALLS: return runs == (use != USE_BRANCH && c->from == x);
	case COUNTS_FALL:
	case COUNTS_LEAVE: /* counts_leaving() */
	case COUNTS_NOTHING: break;
	}
	return !runs;
}

bool is_redirected(const struct vcount *c)
{
	return c->kind == COUNTS_EDGE || c->kind == COUNTS_TABLE || c->kind == COUNTS_LEAVE;
}

bool falls_right(const struct vcount *c, uint32_t x, bool runs)
{
	if (c->kind == COUNTS_CALLS)
		return !runs;
	return runs ? !is_redirected(c) && (c->kind != COUNTS_FALL || c->end == x)
		    : is_redirected(c);
}

/* A description of x must begin in front of the code that counts the block at x. */
static bool covers_right(const struct vcount *c, uint32_t x, bool runs)
{
	return runs || c->kind != COUNTS_BLOCK || c->from != x;
}

bool leads_elsewhere(const struct vsite *s)
{
	return s->pattern->kind == PATTERN_LEAVE || s->pattern->kind == PATTERN_RELAY;
}

bool runs_well(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y,
	const struct way *w)
{
	enum use use = w->use;
	uint32_t text = (uint32_t)(t - v->text.v), last = behind_padding(v, t, k);
	const struct vsite *s = first_site(v, text, k), *end = v->site.v + v->site.n;
	uint64_t start = y;
	for (; s < end && s->text == text && s->insn <= last; s++) {
		bool runs = s->at >= y;
		if (s->pattern->kind == PATTERN_SKIP && runs)
			y = s->to;
		if (leads_elsewhere(s) && runs && use != USE_ROW)
			return false;
		/* harmless behind a call, where the reference may mean the return address */
		if (s->pattern->kind == PATTERN_FORK && runs && s->insn == k && use != USE_ROW &&
			(k == t->first || v->insn.v[k - 1].kind != INSN_CALL))
			return false;
		const struct vcount *c = site_count(v, s);
		if (!c)
			continue;
		uint32_t x = v->insn.v[s->insn].off;
		if (use == USE_ROW	       ? !covers_right(c, x, runs)
				: s->insn == k ? !runs_right(v, t, k, c, w, runs)
					       : !falls_right(c, x, runs))
			return false;
	}
	if (use != USE_ROW)
		note_arrival(v, t, k, start, w);
	return use == USE_ROW || holds_well(v, t, k, start, w->by);
}
