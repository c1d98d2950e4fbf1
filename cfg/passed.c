/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passed.c - what functions do with labels that are passed to them
 *
 * Each function is interpreted once for each set of registers in which it is given labels, even
 * ones, and zeros: what it accesses there, and what it passes on.  That is applied to the labels of
 * each call.
 */
#include "cfg/arithmetic.h"
#include "cfg/sums.h"

#include <stdlib.h>

/* Behind so many calls, one in the other, what is added has no bounds. */
enum { DEEP = 3 };

struct calling {
	struct walk w;
	struct summary **summary; /* by function */
	struct strmap seen;	  /* passings */
	passing_vec todo;
};

/* Is it the address of a function, and even?  It stays so: queue_alignment() in instr/layout.c. */
static bool is_even(const struct cfg *g, struct value v)
{
	const struct code_section *t = &g->text.v[v.base];
	uint64_t off = (uint64_t)v.n;
	if (!value_is_exact(v) || off & 1 || t->sec->align < 2 || off >= t->sec->size)
		return false;
	uint32_t n = cfg_func_at(g, t, off);
	const struct func *f = n == NO_FUNC ? NULL : &g->func.v[n];
	return f && f->start == off && f->is_code && f->nblock &&
		!(g->insn.v[g->block.v[f->block].insn].flags & INSN_GLUED);
}

static const struct summary *summary_of(struct calling *c, uint32_t f, const struct summary *of)
{
	struct walk *w = &c->w;
	struct summary *s = c->summary[f];
	while (s && (s->args != of->args || s->even != of->even || s->zero != of->zero))
		s = s->next;
	if (s)
		return s;
	s = arena_new(w->g->arena, struct summary);
	*s = *of;
	s->next = c->summary[f];
	c->summary[f] = s;
	w->summary = s;
	w->v.even = s->even;
	sums_enter(w, f);
	for (regset some = s->args; some; some &= some - 1)
		sums_name(w, code_label(PASSED, lowest_reg(some)));
	sums_walk(w, false);
	w->summary = NULL;
	return s;
}

static const struct argument *argument_in(const struct passing *p, uint8_t reg)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->arg[i].reg == reg)
			return &p->arg[i];
	return NULL;
}

/* Hold what lies between two labels: nothing, if they are the same. */
static void hold_between(struct walk *w, struct value a, struct value b)
{
	if (value_is_exact(a) && value_is_exact(b) && a.base == b.base && a.n == b.n)
		return;
	struct lump p = sums_lump(w, OPAQUE_READ, a);
	p.from = (uint64_t)(a.n < b.n ? a.n : b.n);
	p.to = (uint64_t)(a.n < b.n ? b.n : a.n) + 1;
	if (!sums_is_code(w, a) && !sums_is_code(w, b))
		return;
	if (a.base == b.base && a.flags & b.flags & BOUNDED) {
		list_lump(&w->opaque, a.base, p);
		return;
	}
	sums_hold_all(w, a);
	sums_hold_all(w, b);
}

static void apply_use(struct walk *w, const struct passing *p, const struct use *u)
{
	struct value a = argument_in(p, u->reg)->v;
	if (u->reg != u->other) {
		hold_between(w, a, argument_in(p, u->other)->v);
		return;
	}
	struct value v = value_number(a.lo + u->from, a.hi + u->to - 1);
	a.flags &= u->known && v.what == RANGE ? a.flags : (uint8_t)~BOUNDED;
	a.lo = v.lo;
	a.hi = v.hi;
	sums_hold_bytes(w, a, 1);
}

/* A label that the function passes on, with what its caller passed. */
static bool substitute(const struct passing *p, struct argument *a)
{
	struct value plus = {.what = ANYTHING}, from;
	if (a->v.base != PASSED)
		return false;
	from = argument_in(p, (uint8_t)a->v.n)->v;
	bool bounded = a->v.flags & from.flags & BOUNDED,
	     changed = a->v.lo || a->v.hi || !(a->v.flags & BOUNDED);
	if (bounded && !(changed && p->deep >= DEEP))
		plus = value_number((int64_t)a->v.lo + from.lo, (int64_t)a->v.hi + from.hi);
	a->v = from;
	a->v.flags = (uint8_t)((from.flags & ~(unsigned)BOUNDED) | (plus.flags & BOUNDED));
	a->v.lo = plus.lo;
	a->v.hi = plus.hi;
	return true;
}

static bool is_new(struct calling *c, const struct passing *p)
{
	const char *key = arena_printf(c->w.g->arena, "%llx", (unsigned long long)p->zero);
	for (const struct argument *a = p->arg; a < p->arg + p->n; a++)
		key = arena_printf(c->w.g->arena, "%s %x %x %x %llx %d %d %d", key, p->func, a->reg,
			a->v.base, (unsigned long long)a->v.n, a->v.flags & BOUNDED, a->v.lo,
			a->v.hi);
	uint64_t *slot = strmap_slot(&c->seen, key);
	return !(*slot)++;
}

static void apply(struct calling *c, const struct passing *p)
{
	struct summary of = {.zero = p->zero};
	if (p->deep && !is_new(c, p))
		return;
	for (uint32_t i = 0; i < p->n; i++) {
		of.args |= REG_BIT(p->arg[i].reg);
		of.even |= is_even(c->w.g, p->arg[i].v) ? REG_BIT(p->arg[i].reg) : 0;
	}
	const struct summary *s = summary_of(c, p->func, &of);
	c->w.f = &c->w.g->func.v[p->by];
	for (size_t i = 0; i < s->use.n; i++)
		apply_use(&c->w, p, &s->use.v[i]);
	for (size_t i = 0; i < s->passing.n; i++) {
		struct passing q = s->passing.v[i];
		bool more = false;
		q.by = p->by;
		q.deep = p->deep + 1;
		for (uint32_t k = 0; k < q.n; k++)
			more |= substitute(p, &q.arg[k]);
		if (more)
			vec_push(&c->todo, q);
	}
}

void passed_apply(struct cfg *g, passing_vec *all)
{
	struct calling c = {.todo = *all};
	*all = (passing_vec){0};
	sums_start(&c.w, g, 0);
	c.w.v.needs = KIND(LABEL);
	c.w.v.called = true;
	c.summary = arena_array(g->arena, struct summary *, g->func.n + 1);
	for (size_t i = 0; i < c.todo.n; i++) {
		const struct passing p = c.todo.v[i];
		apply(&c, &p);
	}
	make_opaque(g, &c.w.opaque);
	for (size_t f = 0; f < g->func.n; f++)
		for (struct summary *s = c.summary[f]; s; s = s->next) {
			vec_free(&s->use);
			vec_free(&s->passing);
		}
	vec_free(&c.todo);
	strmap_free(&c.seen);
	sums_free(&c.w);
}
