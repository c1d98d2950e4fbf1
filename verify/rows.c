/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - unwind rows of the old and the new FDE
 *
 * Outside of inserted code both must have the same CFI instructions at corresponding places.  In
 * inserted code that moves the stack pointer, a row must equal the row in front of that code,
 * adjusted by how far the stack pointer has moved.
 */
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/rows.h"
#include "verify/sites.h"

#include <stdlib.h>

enum { REGS = 128 };

/* The CFI instruction that set the rule; NULL: none. */
struct rule {
	const uint8_t *p;
	size_t len;
};
struct rules {
	uint64_t cfa_reg;
	int64_t cfa_off;
	struct rule cfa; /* DW_CFA_def_cfa_expression, which replaces cfa_reg and cfa_off */
	struct rule reg[REGS];
};

struct row_reader {
	struct reader r;
	const struct eh_cie *cie;
	uint64_t at;	   /* code offset of the current row */
	const uint8_t *op; /* the current instruction */
	size_t len;
	bool more, set_loc;
};

struct rows {
	struct verify *v;
	const struct section *ea;
	const struct eh_fde *fa, *fb;
	struct row_reader a, b;
	struct vmoving moving; /* the remaining sites in the FDE */

	/* rules in front of b's current instruction; set only if the FDE has such sites */
	struct rules now, first;
	VEC(struct rules) saved;
};

static void skip_operands(struct reader *r, uint8_t op)
{
	switch (op) {
	case 0x05:
	case 0x09:
	case 0x0c:
	case 0x14:
	case 0x2f:
		read_uleb(r);
		/* fallthrough */
	case 0x06:
	case 0x07:
	case 0x08:
	case 0x0d:
	case 0x0e:
	case 0x2e: read_uleb(r); break;
	case 0x11:
	case 0x12:
	case 0x15:
		read_uleb(r);
		/* fallthrough */
	case 0x13: read_sleb(r); break;
	case 0x10:
	case 0x16:
		read_uleb(r);
		/* fallthrough */
	case 0x0f: read_skip(r, read_uleb(r)); break;
	case 0x0a:
	case 0x0b:
	case 0x2d: break;
	default: r->bad = true;
	}
}

/* Go to the next CFI instruction that sets a rule. */
static void next_row(struct row_reader *w)
{
	struct reader *r = &w->r;
	uint64_t factor = w->cie->code_align;
	w->more = false;
	while (r->p < r->end && !r->bad) {
		uint8_t op = *r->p;
		w->op = r->p++;
		if ((op & 0xc0) == 0x40) {
			w->at += (op & 0x3f) * factor;
			continue;
		}
		switch (op) {
		case 0x00: continue;
		case 0x02: w->at += read_u8(r) * factor; continue;
		case 0x03: w->at += read_u16(r) * factor; continue;
		case 0x04: w->at += read_u32(r) * factor; continue;
		case 0x1d: w->at += read_u64(r) * factor; continue;
		case 0x01: w->set_loc = true; return;
		default: break;
		}
		if ((op & 0xc0) == 0x80)
			read_uleb(r);
		else if ((op & 0xc0) != 0xc0)
			skip_operands(r, op);
		w->len = (size_t)(r->p - w->op);
		w->more = !r->bad;
		return;
	}
}

/* Rules ----------------------------------------------------------------- */

static void set_reg(struct rows *w, uint64_t reg, struct rule rule)
{
	if (reg >= REGS)
		w->b.r.bad = true;
	else
		w->now.reg[reg] = rule;
}

/* Apply b's current CFI instruction to w->now. */
static void apply(struct rows *w)
{
	struct row_reader *b = &w->b;
	struct rules *now = &w->now;
	struct rule rule = {b->op, b->len};
	uint8_t op = *b->op;
	struct reader r = reader_make(b->op + 1, b->len - 1);
	if (op & 0xc0) {
		set_reg(w, op & 0x3f, op & 0x40 ? w->first.reg[op & 0x3f] : rule);
		return;
	}
	switch (op) {
	case 0x0a: vec_push(&w->saved, *now); return;
	case 0x0b:
		if (w->saved.n)
			*now = w->saved.v[--w->saved.n];
		else
			b->r.bad = true;
		return;
	case 0x0c:
	case 0x12:
		now->cfa = (struct rule){0};
		now->cfa_reg = read_uleb(&r);
		now->cfa_off = op == 0x0c ? (int64_t)read_uleb(&r)
					  : read_sleb(&r) * b->cie->data_align;
		return;
	case 0x0d: now->cfa_reg = read_uleb(&r); return;
	case 0x0e: now->cfa_off = (int64_t)read_uleb(&r); return;
	case 0x0f: now->cfa = rule; return;
	case 0x13: now->cfa_off = read_sleb(&r) * b->cie->data_align; return;
	case 0x2d:
	case 0x2e: return;
	default: break;
	}
	uint64_t reg = read_uleb(&r);
	if (op == 0x06 && reg < REGS)
		rule = w->first.reg[reg];
	set_reg(w, reg, rule);
}

/* The size of the operator's fixed-size operand, else 0. */
static uint64_t operand_size(uint8_t op)
{
	switch (op) {
	case 0x08:
	case 0x09:
	case 0x15:
	case 0x94:
	case 0x95: return 1;
	case 0x0a:
	case 0x0b: return 2;
	case 0x0c:
	case 0x0d: return 4;
	case 0x03:
	case 0x0e:
	case 0x0f: return 8;
	default: return 0;
	}
}

/* Is y the expression x, with the stack pointer down bytes lower? */
static bool same_expr(struct reader x, struct reader y, unsigned stack, uint32_t down)
{
	while (x.p < x.end && y.p < y.end && !x.bad && !y.bad) {
		uint8_t op = read_u8(&x), other = read_u8(&y);
		uint64_t n = operand_size(op), reg = op - 0x70u;
		bool breg = (op >= 0x70 && op <= 0x8f) || op == 0x92;
		if (op != other || op == 0x28 || op == 0x2f)
			return false;
		if (op == 0x92 && (reg = read_uleb(&x)) != read_uleb(&y))
			return false;
		if (breg) {
			int64_t off = read_sleb(&x) + (reg == stack ? down : 0);
			if (off != read_sleb(&y))
				return false;
		} else if (op == 0x10 || op == 0x11 || op == 0x23) {
			if (read_uleb(&x) != read_uleb(&y))
				return false;
		}
		for (; n; n--)
			if (read_u8(&x) != read_u8(&y))
				return false;
	}
	return x.p == x.end && y.p == y.end && !x.bad && !y.bad;
}

/* Is y, inside inserted code, the rule x in front of it, with the stack pointer down lower? */
static bool same_rule(struct rule x, struct rule y, unsigned stack, uint32_t down)
{
	if (!x.p || !y.p)
		return !x.p && !y.p;
	if (x.len == y.len && !down && !memcmp(x.p, y.p, x.len))
		return true;
	uint8_t op = *x.p;
	if (op != *y.p || (op != 0x0f && op != 0x10 && op != 0x16))
		return x.len == y.len && !memcmp(x.p, y.p, x.len);
	struct reader rx = reader_make(x.p + 1, x.len - 1), ry = reader_make(y.p + 1, y.len - 1);
	if (op != 0x0f && read_uleb(&rx) != read_uleb(&ry))
		return false;
	read_uleb(&rx);
	read_uleb(&ry);
	return same_expr(rx, ry, stack, down);
}

static bool same_rules(const struct rules *x, const struct rules *y, unsigned stack, uint32_t down)
{
	int64_t off = x->cfa_off + (x->cfa_reg == stack ? down : 0);
	if (!x->cfa.p && (x->cfa_reg != y->cfa_reg || off != y->cfa_off))
		return false;
	for (unsigned i = 0; i < REGS; i++)
		if (!same_rule(x->reg[i], y->reg[i], stack, down))
			return false;
	return same_rule(x->cfa, y->cfa, stack, down);
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

static bool site_failed(struct rows *w, uint32_t at)
{
	vfail(w->v, w->fa->code, w->fa->start,
		"the unwind row at 0x%x is wrong where inserted code "
		"moves the stack pointer",
		at);
	return false;
}

/* Are the rules those in front of a site again?  What follows at its end is a row of old code. */
static bool is_over(const struct rows *w, const struct rules *before, size_t depth)
{
	return w->saved.n == depth && same_rules(before, &w->now, w->v->target->abi.stack_dwarf, 0);
}

/* Check b's rows in the next site, from the current row on. */
static bool check_site(struct rows *w)
{
	const struct vsite *s = w->moving.site;
	const struct pattern *p = s->pattern;
	struct row_reader *b = &w->b;
	unsigned stack = w->v->target->abi.stack_dwarf;
	struct rules before = w->now;
	size_t depth = w->saved.n;
	for (uint32_t i = 0; i < p->nstack; i++) {
		const struct stack_move *m = &p->stack[i];
		uint32_t at = s->at + (uint32_t)m->at;
		bool last = i + 1 == p->nstack;
		for (; b->more && b->at == at && w->saved.n >= depth &&
			!(last && is_over(w, &before, depth));
			next_row(b))
			apply(w);
		if (b->r.bad || w->saved.n < depth || (b->more && b->at < at) ||
			!same_rules(&before, &w->now, stack, m->down))
			return site_failed(w, at);
		w->v->nmoved++;
	}
	if (w->saved.n != depth || (b->more && b->at < s->end))
		return site_failed(w, s->end);
	moving_next(&w->moving);
	return true;
}

static struct row_reader rows_of(const struct object *o, const struct section *s,
	const struct eh_fde *f)
{
	struct row_reader r = {.r = section_reader(o, s, f->end), .cie = f->cie, .at = f->start};
	read_skip(&r.r, f->cfa);
	return r;
}

/* Set w->first and w->now to the rules of b's CIE. */
static void first_rules(struct rows *w, const struct section *eb)
{
	const struct eh_cie *cie = w->fb->cie;
	memset(&w->now, 0, sizeof w->now);
	w->first = w->now;
	w->saved.n = 0;
	w->b = (struct row_reader){.r = section_reader(w->v->b, eb, cie->end), .cie = cie};
	read_skip(&w->b.r, cie->cfa);
	for (next_row(&w->b); w->b.more; next_row(&w->b))
		apply(w);
	w->first = w->now;
}

/* A row begins at the end of the old instruction before it, or at the function's start. */
static bool same_row(const struct rows *w, uint64_t x, uint64_t y)
{
	if (x == w->fa->start)
		return y == w->fb->start;
	return same_place(w->v, w->fa->code->index, x, w->fb->code->index, y, USE_END);
}

static void check_rows(struct rows *w)
{
	struct verify *v = w->v;
	struct row_reader *a = &w->a, *b = &w->b;
	bool sites = moving_left(&w->moving);
	for (;;) {
		next_row(a);
		next_row(b);
		while (moving_left(&w->moving) && !b->set_loc &&
			(!b->more || b->at > w->moving.site->at))
			if (!check_site(w))
				return;
		if (a->set_loc || b->set_loc) {
			v->unproved++;
			return;
		}
		if (a->r.bad || b->r.bad || a->more != b->more ||
			(a->more && (a->len != b->len || memcmp(a->op, b->op, a->len) != 0))) {
			vfail(v, w->ea, w->fa->off, "the FDE at 0x%llx has other rows now",
				(unsigned long long)w->fb->off);
			return;
		}
		if (!a->more)
			return;
		v->nrow++;
		if (!same_row(w, a->at, b->at)) {
			vfail(v, w->fa->code, a->at,
				"the unwind row begins at 0x%llx now, which is "
				"another place",
				(unsigned long long)b->at);
			return;
		}
		if (sites)
			apply(w);
	}
}

void verify_rows(struct verify *v, const struct section *ea, const struct eh_fde *fa,
	const struct section *eb, const struct eh_fde *fb)
{
	struct rows w; /* large: its rules are set only when needed */
	w.v = v;
	w.ea = ea;
	w.fa = fa;
	w.fb = fb;
	memset(&w.saved, 0, sizeof w.saved);
	w.moving = moving_sites(v, fa->code->index, fa->start, fb->start, fb->start + fb->range);
	if (moving_left(&w.moving))
		first_rules(&w, eb);
	w.a = rows_of(v->a, ea, fa);
	w.b = rows_of(v->b, eb, fb);
	check_rows(&w);
	vec_free(&w.saved);
}
