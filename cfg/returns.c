/* SPDX-License-Identifier: Apache-2.0 */
/*
 * returns.c - which functions return just once from every call
 *
 * A call may end otherwise: by exit, longjmp, an exception, a thread's end, or in
 * a new process; and one of setjmp ends several times.  A function does none of
 * that, but for a signal that kills the process, when it is understood, makes no
 * system call, jumps to no unknown place, treats the stack as compiled code does and
 * calls only functions of that kind.
 * All are taken for such until something in them says no.
 */
#include "cfg/program.h"

#include "base/parallel.h"
#include "cfg/cfg_priv.h"

struct asking {
	const struct cfg *g;
	struct returns *r;
	bool *changed;	/* by part */
};

/* What other parts work on meanwhile: a no that is seen too late changes something. */
static bool returns_well(const struct returns *r, uint32_t f)
{
	return __atomic_load_n(&r->func[f], __ATOMIC_RELAXED);
}

bool is_preemptible(const struct symbol *s)
{
	return symbol_bind(s) != STB_LOCAL && ELF64_ST_VISIBILITY(s->other) == STV_DEFAULT;
}

/* A call or a jump to another function, by the last instruction of block bl. */
static enum callee callee_of(const struct asking *a, const struct block *bl)
{
	const struct cfg *g = a->g;
	const struct symbol *s = named_at_end(g, bl);
	if (s && (s->sec == SEC_UNDEF || symbol_type(s) == STT_GNU_IFUNC))
		return (enum callee)a->r->named[s - g->obj->sym.v];
	if (s && a->r->preemptible && is_preemptible(s))
		return CALLEE_ANY;
	if (bl->target == NO_BLOCK)
		return CALLEE_ANY;
	uint32_t to = g->block.v[bl->target].func;
	return g->func.v[to].block == bl->target && returns_well(a->r, to) ? CALLEE_RETURNS : CALLEE_ANY;
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
	case END_JUMP: case END_BRANCH:
		callee = out ? callee_of(a, bl) : CALLEE_RETURNS;
		if (callee != CALLEE_RETURNS && callee != CALLEE_DIES)
			return false;
		break;
	case END_FALL: case END_TABLE:
		break;
	case END_RET: case END_TRAP:
		return true;
	case END_LEAVE: case END_SYSCALL:
		return false;
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
	const struct asking *a = ctx;
	const struct cfg *g = a->g;
	uint32_t first, f = cfg_part_funcs(g, part, &first);
	bool changed = false;
	(void)worker;
	while (f-- > first) {
		if (!returns_well(a->r, f) || func_well(a, &g->func.v[f]))
			continue;
		__atomic_store_n(&a->r->func[f], false, __ATOMIC_RELAXED);
		changed = true;
	}
	a->changed[part] = changed;
}

struct returns *cfg_returns(const struct cfg *g, bool preemptible)
{
	struct returns *r = arena_new(g->arena, struct returns);
	size_t parts = g->part.n - 1;
	struct asking a = { .g = g, .r = r, .changed = arena_array(g->arena, bool, parts) };
	bool changed = true;
	r->preemptible = preemptible;
	r->named = arena_array(g->arena, uint8_t, g->obj->sym.n + 1);
	r->func = arena_array(g->arena, bool, g->func.n + 1);
	for (size_t i = 1; i < g->obj->sym.n; i++)
		r->named[i] = (uint8_t)callee_by_symbol(g, &g->obj->sym.v[i]);
	for (size_t f = 0; f < g->func.n; f++) {
		const struct func *fn = &g->func.v[f];
		r->func[f] = fn->is_code && fn->nblock && fn->why == OPAQUE_NOT &&
			     fn->keeps_stack;
	}
	while (changed) {
		changed = false;
		parallel(parts, ask_part, &a);
		for (size_t k = 0; k < parts; k++)
			changed |= a.changed[k];
	}
	return r;
}

enum callee cfg_callee(const struct cfg *g, const struct returns *r, uint32_t b)
{
	struct asking a = { .g = g, .r = (struct returns *)r };
	return callee_of(&a, &g->block.v[b]);
}

bool cfg_call_ends(const struct cfg *g, const struct returns *r, uint32_t b)
{
	const struct symbol *s = named_at_end(g, &g->block.v[b]);
	enum callee kind = s ? r->named[s - g->obj->sym.v] : CALLEE_ANY;
	return kind == CALLEE_DIES || kind == CALLEE_LEAVES;
}
