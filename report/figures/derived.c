/* SPDX-License-Identifier: Apache-2.0 */
/* derived.c - what calls executed that were not measured; see derived.h */
#include "report/figures/derived.h"

#include "base/base.h"

#include <stdlib.h>

enum { NONE = UINT32_MAX };

/*
 * Of a function: what it executed and its calls did, without what the calls of it did, as far as
 * that is known; the calls that are not.
 */
struct balance {
	uint64_t sum;
	uint32_t open, numbers; /* how many are not, and the exclusive or of their numbers */
	bool is_zero;		/* when all are known */
};

struct balances {
	const struct program *p;
	struct call *call;
	struct balance *v;
	VEC(uint32_t) ready;
};

static bool is_here(const struct balances *b, const struct call *c)
{
	return c->p == b->p;
}

static uint32_t caller(const struct balances *b, const struct call *c)
{
	return (uint32_t)(c->from - b->p->map.func);
}

static uint32_t callee(const struct balances *b, const struct call *c)
{
	return c->to && c->to_in == b->p ? (uint32_t)(c->to - b->p->map.func) : NONE;
}

static void look_at(struct balances *b, uint32_t f)
{
	if (b->v[f].is_zero && b->v[f].open == 1)
		vec_push(&b->ready, f);
}

static void begin(struct balances *b, uint32_t k)
{
	const struct call *c = &b->call[k];
	uint32_t end[] = {caller(b, c), callee(b, c)};
	uint64_t sum[] = {c->insns, 0 - c->insns};
	for (unsigned i = 0; i < 2 && end[i] != NONE; i++) {
		struct balance *f = &b->v[end[i]];
		if (c->measured) {
			f->sum += sum[i];
		} else {
			f->open++;
			f->numbers ^= k;
		}
	}
}

/* The only call of function f, or by it, that is not known. */
static void solve(struct balances *b, uint32_t f)
{
	uint32_t k = b->v[f].numbers;
	struct call *c = &b->call[k];
	uint32_t from = caller(b, c), to = callee(b, c);
	if (b->v[f].open != 1 || to == NONE)
		return;
	c->insns = from == f ? 0 - b->v[f].sum : b->v[f].sum;
	c->measured = true;
	b->v[from].sum += c->insns;
	b->v[to].sum -= c->insns;
	for (unsigned i = 0; i < 2; i++) {
		struct balance *at = &b->v[i ? to : from];
		at->open--;
		at->numbers ^= k;
		look_at(b, i ? to : from);
	}
}

static void derive(const struct program *p, const struct arcs *a, struct call *call, uint32_t n)
{
	struct balances b = {.p = p, .call = call};
	b.v = NEW_ARRAY(struct balance, p->map.nfuncs);
	for (size_t i = 0; i < p->map.nfuncs; i++) {
		const struct map_func *f = &p->map.func[i];
		b.v[i].is_zero = f->nblocks && arcs_enclosed(a, f->block);
		b.v[i].sum = b.v[i].is_zero ? func_sum(p, f).insns : 0;
	}
	for (uint32_t k = 0; k < n; k++)
		if (is_here(&b, &call[k]))
			begin(&b, k);
	for (uint32_t i = 0; i < p->map.nfuncs; i++)
		look_at(&b, i);
	while (b.ready.n)
		solve(&b, b.ready.v[--b.ready.n]);
	vec_free(&b.ready);
	free(b.v);
}

void calls_derive(const struct program *p, const struct arcs *a, struct calls *c)
{
	if (a->known && !a->stopped)
		derive(p, a, c->v, (uint32_t)c->n);
}
