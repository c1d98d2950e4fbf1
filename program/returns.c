/* SPDX-License-Identifier: Apache-2.0 */
/*
 * returns.c - which functions return exactly once from every call
 *
 * A call may not return: exit, longjmp, an exception, the end of a thread; or it may return
 * several times: fork, setjmp.  A function returns exactly once, unless a signal kills the
 * process, if it is not opaque, makes no system call, has no jump to an unknown address, treats the
 * stack as compiled code does and calls only such functions.  The result is the greatest fixpoint:
 * every function is assumed to be such until it, or a callee, is found not to be.
 */
#include "cfg/libc.h"
#include "program/program.h"
#include "cfg/blocks.h"
#include "cfg/calls.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"

#include "base/parallel.h"

#include <stdlib.h>

/* Function from does not return exactly once if function to does not. */
struct trust {
	uint32_t to, from;
};
typedef VEC(struct trust) trust_vec;

struct asking {
	const struct cfg *g;
	struct returns *r;
	trust_vec *found; /* by part */
	trust_vec *trust; /* of the current part; NULL: not wanted */
};

/* Another thread may set it to false later: each use of true is recorded in trust. */
static bool returns_well(const struct returns *r, uint32_t f)
{
	return __atomic_load_n(&r->func[f], __ATOMIC_RELAXED);
}

/* A call or a jump to another function, by the last instruction of block bl. */
static enum callee callee_of(const struct asking *a, const struct block *bl)
{
	const struct cfg *g = a->g;
	const struct symbol *s = named_at_end(g, bl);
	if (s &&
		(s->sec == SEC_UNDEF || symbol_type(s) == STT_GNU_IFUNC ||
			a->r->named[s - g->obj->sym.v] != CALLEE_ANY))
		return (enum callee)a->r->named[s - g->obj->sym.v];
	if (s && a->r->preemptible && is_preemptible(s))
		return CALLEE_ANY;
	if (bl->target == NO_BLOCK)
		return CALLEE_ANY;
	uint32_t to = g->block.v[bl->target].func;
	if (g->func.v[to].block != bl->target || !returns_well(a->r, to))
		return CALLEE_ANY;
	if (a->trust && to != bl->func)
		vec_push(a->trust, (struct trust){to, bl->func});
	return CALLEE_RETURNS;
}

static bool block_well(const struct asking *a, const struct block *bl)
{
	const struct cfg *g = a->g;
	bool out = bl->target == NO_BLOCK || g->block.v[bl->target].func != bl->func;
	enum callee callee;
	switch ((enum block_end)bl->end) {
	case END_CALL:
		callee = callee_of(a, bl);
		if (callee == CALLEE_DIES)
			return true;
		if (callee != CALLEE_RETURNS)
			return false;
		break;
	case END_JUMP:
	case END_BRANCH:
		callee = out ? callee_of(a, bl) : CALLEE_RETURNS;
		if (callee != CALLEE_RETURNS && callee != CALLEE_DIES)
			return false;
		break;
	case END_FALL:
	case END_TABLE: break;
	case END_RET:
	case END_TRAP: return true;
	case END_LEAVE:
	case END_SYSCALL: return false;
	}
	if (bl->end == END_JUMP || bl->end == END_TABLE)
		return true;
	return bl->fall != NO_BLOCK && g->block.v[bl->fall].func == bl->func;
}

static bool func_well(const struct asking *a, const struct func *f)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (!a->g->block.v[b].gap && !block_well(a, &a->g->block.v[b]))
			return false;
	return true;
}

static void ask_part(void *ctx, size_t part, unsigned worker)
{
	struct asking a = *(struct asking *)ctx;
	uint32_t f, end = cfg_part_funcs(a.g, part, &f);
	trust_vec found = {0};
	a.trust = &found;
	(void)worker;
	for (; f < end; f++) {
		size_t n = found.n;
		if (!returns_well(a.r, f) || func_well(&a, &a.g->func.v[f]))
			continue;
		__atomic_store_n(&a.r->func[f], false, __ATOMIC_RELAXED);
		found.n = n;
	}
	a.found[part] = found;
}

static int trust_cmp(const void *a, const void *b)
{
	const struct trust *x = a, *y = b;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Joins and sorts the results of all parts. */
static void join_trust(const struct asking *a, size_t parts, trust_vec *all)
{
	for (size_t k = 0; k < parts; k++) {
		for (size_t i = 0; i < a->found[k].n; i++)
			vec_push(all, a->found[k].v[i]);
		vec_free(&a->found[k]);
	}
	if (all->n)
		sort(all->v, all->n, sizeof *all->v, trust_cmp);
}

/* A function that trusts one that does not return exactly once does not either. */
static void spread_no(struct returns *r, const trust_vec *all, uint32_t nfunc)
{
	block_vec todo = {0};
	for (uint32_t f = 0; f < nfunc; f++)
		if (!r->func[f])
			vec_push(&todo, f);
	while (todo.n) {
		uint32_t f = todo.v[--todo.n];
		size_t i;
		BISECT(i, 0, all->n, all->v[i].to < f);
		for (; i < all->n && all->v[i].to == f; i++) {
			if (!r->func[all->v[i].from])
				continue;
			r->func[all->v[i].from] = false;
			vec_push(&todo, all->v[i].from);
		}
	}
	vec_free(&todo);
}

struct returns *cfg_returns(const struct cfg *g, bool preemptible)
{
	struct returns *r = arena_new(g->arena, struct returns);
	size_t parts = g->part.n - 1;
	struct asking a = {.g = g, .r = r, .found = arena_array(g->arena, trust_vec, parts)};
	trust_vec trust = {0};
	r->preemptible = preemptible;
	r->named = arena_array(g->arena, uint8_t, g->obj->sym.n + 1);
	r->func = arena_array(g->arena, bool, g->func.n + 1);
	for (size_t i = 1; i < g->obj->sym.n; i++)
		r->named[i] = (uint8_t)callee_by_symbol(g, &g->obj->sym.v[i]);
	for (size_t f = 0; f < g->func.n; f++) {
		const struct func *fn = &g->func.v[f];
		r->func[f] = fn->is_code && fn->nblock && fn->why == OPAQUE_NOT && fn->keeps_stack;
	}
	parallel(parts, ask_part, &a);
	join_trust(&a, parts, &trust);
	spread_no(r, &trust, (uint32_t)g->func.n);
	vec_free(&trust);
	return r;
}

enum callee cfg_callee(const struct cfg *g, const struct returns *r, uint32_t b)
{
	struct asking a = {.g = g, .r = (struct returns *)r};
	return callee_of(&a, &g->block.v[b]);
}

bool cfg_call_ends(const struct cfg *g, const struct returns *r, uint32_t b)
{
	const struct symbol *s = named_at_end(g, &g->block.v[b]);
	enum callee kind = s ? r->named[s - g->obj->sym.v] : CALLEE_ANY;
	return kind == CALLEE_DIES || kind == CALLEE_LEAVES;
}
