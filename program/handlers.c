/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handlers.c - may control leave a function after any instruction?
 *
 * Control may if a signal handler jumps out of the interrupted code, ends the thread or throws an
 * exception, and if a thread is cancelled asynchronously.  If a handler forks, the interrupted code
 * continues a second time in the new process.  A call that does so has edges at the call, but a
 * handler may do so anywhere, so every block needs a counter of its own.
 *
 * What cannot be seen is not assumed: a handler is harmless only if all code that it can reach is
 * known and uses the stack as compiled code does, and calls no function of the C library (POSIX,
 * glibc) or the unwinder (Itanium C++ ABI: Exception Handling) that leaves or forks.
 */
#include "cfg/libc.h"
#include "program/handlers.h"
#include "cfg/calls.h"
#include "cfg/refs.h"
#include "cfg/regions.h"

#include "reloc/outside.h"

#include <stdlib.h>

/*
 * The kinds of all names that loaded sections refer to, but for the C library's own.  A thread that
 * waits in that library is cancelled by a signal, which leaves code of the object if it is static.
 */
static unsigned object_kinds(const struct cfg *g, uint8_t *kinds)
{
	const struct object *o = g->obj;
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		kinds[i] = (uint8_t)name_kinds(s->name);
		if (s->sec != SEC_UNDEF && (kinds[i] & NAME_STOPS))
			kinds[i] |= NAME_CANCELS;
	}
	return referred_bits(g, kinds) | looked_up_kinds(g, kinds);
}

/* What handlers can reach ------------------------------------------------- */

struct from_handlers {
	const struct cfg *g;
	const uint8_t *kinds; /* by symbol */
	uint8_t *seen;	      /* by function */
	region_vec work;      /* functions */
	bool all;	      /* handlers may call any function whose address is taken */
	uint32_t at;	      /* the function that is looked at */
	struct reason leaves;
};

static void leave(struct from_handlers *w, bool does, const char *why)
{
	if (does && !w->leaves.text)
		w->leaves = (struct reason){why, w->at};
}

static void reach_func(struct from_handlers *w, uint32_t f)
{
	if (w->seen[f] || in_libc(w->g, f))
		return;
	vec_push(&w->work, f);
	w->seen[f] = 1;
}

static void reach_block(void *ctx, uint32_t b)
{
	struct from_handlers *w = ctx;
	reach_func(w, w->g->block.v[b].func);
}

/* The targets of indirect calls and of callbacks from libraries. */
static void reach_taken(struct from_handlers *w)
{
	const struct cfg *g = w->g;
	leave(w,
		!w->all &&
			!names_only_called(g, w->kinds, NAME_UNWINDS | NAME_FORKS | NAME_SYSCALL),
		"calls by a pointer, and pointers lead to functions that leave or fork");
	for (uint32_t f = 0; f < g->func.n && !w->all; f++)
		if (called_from_anywhere(g, &g->func.v[f]))
			reach_func(w, f);
	w->all = true;
}

bool calls_back(const struct cfg *g, const struct symbol *s, bool libc)
{
	return !libc || !((name_does(s->name) & NAME_QUIET) || is_helper(g, s));
}

/* Does the call of syscall(2) at the end of a block return, once? */
static bool call_returns(const struct cfg *g, const struct block *bl)
{
	int64_t nr;
	return call_number(g, bl, &nr) && !syscall_listed(g->target->syscall.forks, nr) &&
		!syscall_listed(g->target->syscall.leaves, nr);
}

/* Is s a function of C++'s library or ABI, as __cxa_bad_typeid?  These throw exceptions. */
static bool may_throw(const struct symbol *s)
{
	return !strncmp(s->name, "_Z", 2) || !strncmp(s->name, "__cxa_", 6);
}

/* Handlers call s at the end of block bl, which is not in the object, or the C library's. */
static void reach_outside(struct from_handlers *w, const struct block *bl, const struct symbol *s)
{
	const struct cfg *g = w->g;
	bool throws = may_throw(s), libc = is_libcs(g, s) && !throws;
	unsigned kinds = w->kinds[s - g->obj->sym.v];
	leave(w,
		throws || (kinds & (NAME_UNWINDS | NAME_FORKS)) ||
			((kinds & NAME_SYSCALL) && !call_returns(g, bl)) ||
			(!libc && (g->outside->kinds & (NAME_UNWINDS | NAME_FORKS))),
		arena_printf(g->arena, "calls %s", s->name));
	if (calls_back(g, s, libc))
		reach_taken(w);
}

static void reach_by_block(struct from_handlers *w, const struct block *bl)
{
	const struct cfg *g = w->g;
	const struct code_section *t = &g->text.v[g->func.v[bl->func].text];
	bool leads = bl->end == END_CALL || bl->end == END_JUMP || bl->end == END_BRANCH;
	const struct symbol *s = leads ? named_at_end(g, bl) : NULL;
	leave(w, bl->astray, "has code whose targets are not known");
	if (bl->end == END_SYSCALL)
		leave(w,
			syscall_may_leave(g->target, cfg_decoder(g, 0), t->sec->data,
				&g->insn.v[bl->insn], bl->ninsn),
			"makes a system call that may leave or fork");
	if (bl->end == END_TABLE)
		cfg_table_targets(g, (uint32_t)(bl - g->block.v), reach_block, w);
	if (bl->fall != NO_BLOCK)
		reach_block(w, bl->fall);
	if (bl->target != NO_BLOCK && !in_libc(g, g->block.v[bl->target].func))
		reach_block(w, bl->target);
	else if (s && (s->sec == SEC_UNDEF || is_libcs(g, s)))
		reach_outside(w, bl, s);
	else if (leads || bl->end == END_LEAVE)
		reach_taken(w);
}

static struct reason reach_leaves(struct from_handlers *w)
{
	const struct cfg *g = w->g;
	while (w->work.n && !w->leaves.text) {
		w->at = w->work.v[--w->work.n];
		const struct func *f = &g->func.v[w->at];
		leave(w, f->why != OPAQUE_NOT, "is moved whole");
		leave(w, !f->keeps_stack, "does not use the stack as compiled code does");
		for (uint32_t b = f->block; b < f->block + f->nblock; b++)
			if (!g->block.v[b].gap)
				reach_by_block(w, &g->block.v[b]);
	}
	vec_free(&w->work);
	return w->leaves;
}

/*
 * May a handler leave the code that it interrupts?  Handlers are the functions that cfg_handlers()
 * finds; if it cannot find all, they are all functions whose address is taken.
 */
static struct reason handlers_leave(const struct cfg *g, const uint8_t *kinds,
	struct reason *unknown)
{
	uint8_t *handler = arena_array(g->arena, uint8_t, g->func.n + 1);
	struct from_handlers w = {.g = g,
		.kinds = kinds,
		.at = NO_FUNC,
		.seen = arena_array(g->arena, uint8_t, g->func.n + 1)};
	*unknown = cfg_handlers(g, kinds, handler);
	bool known = !unknown->text;
	for (uint32_t f = 0; f < g->func.n && known; f++)
		if (handler[f])
			reach_func(&w, f);
	if (!known)
		reach_taken(&w);
	leave(&w, !known && g->outside->needs_more, "a handler may be in another library");
	for (uint32_t f = 0; f < g->func.n && !known; f++)
		handler[f] = called_from_anywhere(g, &g->func.v[f]);
	struct reason why = uses_context(g, w.seen);
	if (!why.text)
		why = reach_leaves(&w);
	return why.text ? why : finds_context(g, handler, w.seen);
}

struct reason cfg_breaks_off(const struct cfg *g, bool preemptible, struct reason *unknown)
{
	const struct outside *out = g->outside;
	uint8_t *kinds = arena_array(g->arena, uint8_t, g->obj->sym.n + 1);
	unsigned own = object_kinds(g, kinds);
	const char *why = NULL;
	*unknown = (struct reason){NULL, NO_FUNC};
	if (own & NAME_CANCELS)
		why = "threads may be cancelled anywhere";
	else if (out && !out->complete)
		why = "not all libraries could be read";
	else if (out && out->breaks_off)
		why = arena_printf(g->arena, "handlers of %s may not return", out->breaks_off);
	else if (!(own & NAME_HANDLES) && !cfg_syscalls_install(g))
		return *unknown;
	else if (!out || preemptible)
		why = "a library has handlers";
	else if ((own | out->kinds) & NAME_STOPS)
		why = "threads may be cancelled";
	else
		return handlers_leave(g, kinds, unknown);
	return (struct reason){why, NO_FUNC};
}

/* What handlers run before they return -------------------------------------- */

struct reentry {
	const struct cfg *g;
	uint8_t *seen;	 /* by function */
	region_vec work; /* functions */
	bool taken;	 /* all functions whose address is taken are reached */
	bool switches;	 /* the interrupted code may continue after other code has run */
};

static void reenter_func(struct reentry *w, uint32_t f)
{
	if (w->seen[f])
		return;
	w->seen[f] = 1;
	vec_push(&w->work, f);
}

static void reenter_block(void *ctx, uint32_t b)
{
	struct reentry *w = ctx;
	if (b != NO_BLOCK)
		reenter_func(w, w->g->block.v[b].func);
}

static void reenter_taken(struct reentry *w)
{
	for (uint32_t f = 0; f < w->g->func.n && !w->taken; f++)
		if (called_from_anywhere(w->g, &w->g->func.v[f]))
			reenter_func(w, f);
	w->taken = true;
}

static void reenter_by_block(struct reentry *w, const struct block *bl)
{
	const struct cfg *g = w->g;
	bool leads = bl->end == END_CALL || bl->end == END_JUMP || bl->end == END_BRANCH;
	const struct symbol *s = leads ? named_at_end(g, bl) : NULL;
	w->switches |= (s && (name_does(s->name) & NAME_SWITCHES)) || (bl->astray && !bl->gap);
	if (bl->end == END_TABLE)
		cfg_table_targets(g, (uint32_t)(bl - g->block.v), reenter_block, w);
	reenter_block(w, bl->fall);
	if (bl->end == END_CALL && never_returns(g, bl))
		return;
	reenter_block(w, bl->target);
	bool outside = bl->target == NO_BLOCK || bl->elsewhere;
	if (bl->end == END_LEAVE || bl->chosen ||
		(leads && outside && (!s || calls_back(g, s, is_libcs(g, s)))))
		reenter_taken(w);
}

uint8_t *cfg_reentered(const struct cfg *g)
{
	const struct object *o = g->obj;
	uint8_t *kinds = arena_array(g->arena, uint8_t, o->sym.n + 1);
	uint8_t *handler = arena_array(g->arena, uint8_t, g->func.n + 1);
	struct reentry w = {.g = g, .seen = arena_array(g->arena, uint8_t, g->func.n + 1)};
	for (size_t i = 1; i < o->sym.n; i++)
		kinds[i] = (uint8_t)name_kinds(o->sym.v[i].name);
	if (!g->outside || cfg_handlers(g, kinds, handler).text || uses_context(g, handler).text)
		return NULL;
	for (uint32_t f = 0; f < g->func.n; f++)
		if (handler[f] && !g->func.v[f].never_returns)
			reenter_func(&w, f);
	while (w.work.n && !w.switches) {
		const struct func *f = &g->func.v[w.work.v[--w.work.n]];
		w.switches |= f->why != OPAQUE_NOT || !f->keeps_stack;
		for (uint32_t b = f->block; b < f->block + f->nblock; b++)
			if (!g->block.v[b].gap)
				reenter_by_block(&w, &g->block.v[b]);
	}
	vec_free(&w.work);
	return w.switches || finds_context(g, handler, w.seen).text ? NULL : w.seen;
}

/*
 * If a handler forks, the interrupted code goes on in the child, too, with what it has read of the
 * parent's counters.
 */
uint8_t *cfg_reentered_tasks(const struct cfg *g)
{
	const struct outside *out = g->outside;
	uint8_t *kinds = arena_array(g->arena, uint8_t, g->obj->sym.n + 1);
	unsigned own = object_kinds(g, kinds);
	bool known = out && out->complete && !(out->needs_more && out->kinds & NAME_HANDLES);
	uint8_t *reentered = known ? cfg_reentered(g) : NULL;
	bool any = reentered && memchr(reentered, 1, g->func.n);
	return any && (own & (NAME_FORKS | NAME_SYSCALL)) ? NULL : reentered;
}
