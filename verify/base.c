/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.c - a register has the high part of a counter's address wherever code relies on that
 *
 * Backward propagation from each increment that uses such a register, along all ways that control
 * may take, which the references of the whole object have noted: each must come to code that sets
 * the register for a counter of the same page, and nothing in between may change it.
 */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/registers.h"
#include "verify/sites.h"
#include "verify/tables.h"

#include <stdlib.h>

enum { PAGE = 4096 };

/* An increment that relies on a register. */
struct user {
	uint64_t page;
	uint32_t site;
};

struct tracing {
	struct verify *v;
	const struct vtext *t;
	uint64_t page;
	regset *need; /* by insn: in front of it, behind the code inserted there */
	VEC(uint32_t) todo, seen;
	bool failed;
};

/* The counters are a multiple of PAGE: cells.c. */
static uint64_t page_of(const struct verify *v, const struct vsite *s)
{
	if (v->row)
		return (uint64_t)s->counter >> v->target->micro->row_bits;
	return ((uint64_t)s->counter + v->target->micro->base_bias % PAGE) / PAGE;
}

void note_arrival(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y,
	const struct way *w)
{
	if (!v->arrival || w->nowhere)
		return;
	bool branch = w->by != NO_INSN && is_branch(&v->insn.v[w->by]);
	vec_push(v->arrival,
		(struct varrival){.insn = behind_padding(v, t, k),
			.by = branch ? w->by : NO_INSN,
			.y = (uint32_t)y});
}

static int arrival_cmp(const void *a, const void *b)
{
	const struct varrival *x = a, *y = b;
	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	return x->by < y->by ? -1 : x->by > y->by;
}

static int user_cmp(const void *a, const void *b)
{
	const struct user *x = a, *y = b;
	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

/* k: the predecessor, or NO_INSN if it is unknown. */
static void need_from(struct tracing *w, uint32_t k, regset regs)
{
	const struct verify *v = w->v;
	if (k == NO_INSN || k < w->t->first || k >= w->t->first + w->t->n) {
		w->failed = true;
		return;
	}
	const struct insn *in = &v->insn.v[k];
	bool known = in->kind == INSN_OTHER || in->kind == INSN_NOP || in->kind == INSN_JUMP ||
		in->kind == INSN_BRANCH;
	if (!known || (in->flags & INSN_VAGUE)) {
		w->failed = true;
		return;
	}
	w->failed |= (regs & (insn_effects(in)->clobbers | form_changes(v, w->t, k))) != 0;
	if (!(regs & ~w->need[k]))
		return;
	if (!w->need[k])
		vec_push(&w->seen, k);
	w->need[k] |= regs;
	vec_push(&w->todo, k);
}

/*
 * Control from instruction `from' comes to y, in front of insn k, and runs the code inserted there
 * up to stop (NULL: all): the registers must then have their bases.
 */
static void arrive(struct tracing *w, uint32_t k, uint64_t y, uint32_t from,
	const struct vsite *stop, regset regs)
{
	const struct verify *v = w->v;
	uint32_t text = (uint32_t)(w->t - v->text.v);
	const struct vsite *s = first_site(v, text, before_padding(v, w->t, k));
	const struct vsite *end = v->site.v + v->site.n;
	regset have = 0, changed = 0;
	for (; s < end && s->text == text && s->insn <= k && s != stop; s++) {
		const struct pattern *p = s->pattern;
		if (s->at < y)
			continue;
		if (p->kind == PATTERN_SKIP) {
			y = s->to;
			continue;
		}
		bool moves = v->row && (p->kind == PATTERN_THREAD || p->kind == PATTERN_FORK);
		changed |= moves ? ~(regset)0 : p->need;
		have &= moves ? 0 : ~p->need;
		if (p->makes && page_of(v, s) == w->page)
			have |= REG_BIT(p->base - 1);
	}
	regs &= ~have;
	if (!regs || (stop && stop->at < y))
		return;
	w->failed |= (regs & changed) != 0;
	need_from(w, from, regs);
}

/* All ways to insn k. */
static void arrive_anyhow(struct tracing *w, uint32_t k, const struct vsite *stop, regset regs)
{
	const struct verify *v = w->v;
	size_t i;
	uint32_t before = before_padding(v, w->t, k);
	if (before == w->t->first)
		arrive(w, k, 0, NO_INSN, stop, regs);
	else if (falls_in(v, w->t, k))
		arrive(w, k, 0, before - 1, stop, regs);
	BISECT(i, 0, v->arrival->n, v->arrival->v[i].insn < k);
	for (; i < v->arrival->n && v->arrival->v[i].insn == k; i++)
		arrive(w, k, v->arrival->v[i].y, v->arrival->v[i].by, stop, regs);
}

static void trace(struct tracing *w, const struct vsite *s)
{
	struct verify *v = w->v;
	w->t = &v->text.v[s->text];
	w->failed = s->insn == NO_INSN;
	if (!w->failed)
		arrive_anyhow(w, behind_padding(v, w->t, s->insn), s,
			REG_BIT(s->pattern->base - 1));
	while (w->todo.n && !w->failed) {
		uint32_t k = w->todo.v[--w->todo.n];
		arrive_anyhow(w, k, NULL, w->need[k]);
	}
	w->todo.n = 0;
	if (w->failed)
		vfail(v, w->t->a, s->insn == NO_INSN ? w->t->a->size : v->insn.v[s->insn].off,
			"the register that counter %lld relies on may have another value",
			(long long)s->counter / v->cell);
}

void verify_bases(struct verify *v)
{
	VEC(struct user) user = {0};
	struct tracing w = {.v = v};
	if (!v->arrival)
		return;
	sort(v->arrival->v, v->arrival->n, sizeof *v->arrival->v, arrival_cmp);
	w.need = arena_array(&v->arena, regset, v->insn.n + 1);
	for (uint32_t i = 0; i < v->site.n; i++)
		if (v->site.v[i].pattern->base && !v->site.v[i].pattern->makes)
			vec_push(&user, (struct user){page_of(v, &v->site.v[i]), i});
	sort(user.v, user.n, sizeof *user.v, user_cmp);
	for (size_t i = 0; i < user.n; i++) {
		if (i && user.v[i].page != user.v[i - 1].page)
			while (w.seen.n)
				w.need[w.seen.v[--w.seen.n]] = 0;
		w.page = user.v[i].page;
		trace(&w, &v->site.v[user.v[i].site]);
	}
	vec_free(&user);
	vec_free(&w.todo);
	vec_free(&w.seen);
}
