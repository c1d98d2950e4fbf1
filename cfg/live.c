/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - which registers and flags are live where blocks begin and end
 *
 * Backward data flow over all blocks of the object.  Inside it calls are followed
 * only as far as flags go: psABI code leaves none alive over a call, but
 * hand-written helpers do, in either direction; so opaque functions are followed
 * too, and everything is alive where they cannot be.  Registers are more cautious: what
 * a caller keeps in a register over a call to a function that is known not to
 * touch it (gcc -fipa-ra) is alive there although nothing in the function says
 * so.  Hence cfg users may only take a dead register as scratch when the
 * function changes it anyway, or no caller keeps anything there: see cfg_scratch().
 */
#include "cfg/cfg.h"

#include "cfg/cfg_priv.h"
#include "reloc/parallel.h"

#include <stdlib.h>

/* What a block makes alive, and what it kills: live before = gen | (live behind & ~kill). */
struct effect {
	regset gen, kill;
};

/* How a function looks at blocks of others: at what is live there, of calls only at the flags. */
struct watch {
	uint32_t block;
	uint32_t func : 31, by_call : 1;
};
typedef VEC(struct watch) watch_vec;

/* Of one part of the code; the arrays are everybody's. */
struct liveness {
	struct cfg *g;
	struct effect *effect;	/* by block */
	const uint32_t *first;	/* by block, CSR: who looks at it */
	const struct watch *watch;
	watch_vec found;	/* of this part's functions, at first */
	uint8_t *due;		/* by function: something it takes from others has grown */
	const struct func *func;	/* of one block, */
	regset live;		/* what is being collected for it */
	bool changed;
};

/*
 * Parts are worked on at once, and look at each other's sets, which only grow: whoever
 * sees one too early is not done when it grows.
 */
static regset peek(const regset *set)
{
	return __atomic_load_n(set, __ATOMIC_RELAXED);
}

/* The live set before insn in, given that behind it. */
regset insn_live(const struct insn *in, regset live)
{
	if (in->flags & INSN_VAGUE)
		return ~(regset)0;
	const struct effects *e = insn_effects(in);
	return (live & ~e->writes) | e->reads;
}

/* These are alive where f returns. */
static void need_behind(struct liveness *w, struct func *f, regset flags)
{
	if (!(flags & ~peek(&f->ret_live)))
		return;
	__atomic_fetch_or(&f->ret_live, flags, __ATOMIC_RELAXED);
	__atomic_store_n(&w->due[f - w->g->func.v], 1, __ATOMIC_RELEASE);
	w->changed = true;
}

/* Control goes on in block b.  If that is another function's, it returns for this one. */
static void add_target(void *ctx, uint32_t b)
{
	struct liveness *w = ctx;
	struct func *f = &w->g->func.v[w->g->block.v[b].func];
	w->live |= peek(&w->g->block.v[b].live_in);
	if (f != w->func)
		need_behind(w, f, peek(&w->func->ret_live));
}

static void add_taken(struct liveness *w, const struct func *f)
{
	const struct cfg *g = w->g;
	const struct text *c = &g->text.v[f->text];
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (set_has(c->taken, g->insn.v[g->block.v[b].insn].off))
			w->live |= g->block.v[b].live_in;
}

/* Flags that are live behind a call come out of the callee, if we know it. */
static void add_call(struct liveness *w, const struct block *bl, regset behind)
{
	struct cfg *g = w->g;
	regset flags = behind & REGSET_FLAGS & g->target->call_clobbers;
	w->live |= g->target->entry_live | behind;
	if (bl->target == NO_BLOCK)
		return;
	w->live |= peek(&g->block.v[bl->target].live_in) & REGSET_FLAGS;
	need_behind(w, &g->func.v[g->block.v[bl->target].func], flags);
}

static regset live_out(struct liveness *w, const struct block *bl)
{
	struct cfg *g = w->g;
	const struct target *t = g->target;
	const struct func *f = &g->func.v[bl->func];
	bool opaque = f->why != OPAQUE_NOT;
	regset fall = opaque ? ~(regset)0 : 0;
	w->func = f;
	w->live = 0;
	if (bl->fall != NO_BLOCK) {
		add_target(w, bl->fall);
		fall = w->live;
	}
	w->live = 0;
	if (bl->gap || bl->astray ||
		(opaque && (bl->end == END_TABLE || bl->end == END_LEAVE)))
		return ~(regset)0;
	switch ((enum block_end)bl->end) {
	case END_FALL: case END_SYSCALL:
		w->live = bl->fall != NO_BLOCK ? fall : ~(regset)0;
		break;
	case END_JUMP: case END_BRANCH:
		w->live = fall;
		if (bl->target != NO_BLOCK)
			add_target(w, bl->target);
		else
			w->live |= t->entry_live | t->ret_live; /* a tail call */
		break;
	case END_CALL:
		add_call(w, bl, fall);
		break;
	case END_TABLE:
		cfg_table_targets(g, (uint32_t)(bl - g->block.v), add_target, w);
		add_taken(w, f);
		w->live |= t->entry_live;
		break;
	case END_LEAVE:
		add_taken(w, f);
		w->live |= t->entry_live | t->ret_live;
		break;
	case END_RET:
		w->live = t->ret_live | peek(&f->ret_live);
		break;
	case END_TRAP:
		w->live = t->ret_live;
		break;
	}
	return w->live;
}

static struct effect block_effect(const struct cfg *g, const struct block *bl)
{
	struct effect e = { 0 };
	/* where some bytes are no instructions, the others may not be what they seem */
	if (g->func.v[bl->func].why == OPAQUE_UNDECODED)
		return (struct effect){ .gen = ~(regset)0 };
	for (uint32_t i = bl->insn + bl->ninsn; i-- > bl->insn;) {
		const struct insn *in = &g->insn.v[i];
		const struct effects *does = insn_effects(in);
		if (in->flags & INSN_VAGUE) {
			e = (struct effect){ .gen = ~(regset)0 };
			continue;
		}
		/* what a call clobbers is accounted for in live_out() */
		if (in->kind != INSN_CALL && in->kind != INSN_CALL_IND) {
			e.gen &= ~does->writes;
			e.kill |= does->writes;
		}
		e.gen |= does->reads;
		e.kill &= ~does->reads;
	}
	return e;
}

/* These have come to what is live in front of block b. */
static void tell_watchers(struct liveness *w, uint32_t b, regset more)
{
	for (uint32_t i = w->first[b]; i < w->first[b + 1]; i++)
		if (!w->watch[i].by_call || (more & REGSET_FLAGS))
			__atomic_store_n(&w->due[w->watch[i].func], 1, __ATOMIC_RELEASE);
}

/* Until nothing changes inside f.  What it takes from other functions is as it is now. */
static void func_liveness(struct liveness *w, const struct func *f)
{
	struct cfg *g = w->g;
	bool changed = true;
	while (changed) {
		changed = false;
		for (uint32_t b = f->block + f->nblock; b-- > f->block;) {
			struct block *bl = &g->block.v[b];
			regset out = live_out(w, bl);
			regset in = w->effect[b].gen | (out & ~w->effect[b].kill);
			if (in == bl->live_in && out == bl->live_out)
				continue;
			regset more = in & ~bl->live_in;
			__atomic_store_n(&bl->live_in, in, __ATOMIC_RELAXED);
			bl->live_out = out;
			if (more)
				tell_watchers(w, b, more);
			changed = w->changed = true;
		}
	}
}

/*
 * Registers that nobody passes anything in, to a function or from it: only who knows what
 * it does can count on them, and calls it by name, so that it shows there.
 */
static regset never_passed(const struct target *t)
{
	return t->call_clobbers & ~(t->entry_live | t->ret_live | t->no_scratch | REGSET_FLAGS);
}

/*
 * Ways from one function to another, by calls too: what is counted on in the one, is in the
 * other, if the one leaves it alone itself.
 */
struct way {
	uint32_t from, to;
};
struct ways {
	const struct cfg *g;
	uint32_t from;
	VEC(struct way) v;
};

static void add_way(void *ctx, uint32_t b)
{
	struct ways *w = ctx;
	uint32_t to = b == NO_BLOCK ? w->from : w->g->block.v[b].func;
	if (to != w->from)
		vec_push(&w->v, (struct way){ w->from, to });
}

/* Its address may lead to it by no function call. */
static bool is_jumped_to(const struct cfg *g, const struct func *f)
{
	return !is_function_symbol(g, f) && set_has(g->text.v[f->text].taken, f->start);
}

static void find_spare(struct cfg *g)
{
	struct ways w = { .g = g };
	for (size_t f = 0; f < g->func.n; f++)
		g->func.v[f].spare = is_jumped_to(g, &g->func.v[f]) ? 0 : never_passed(g->target);
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		w.from = bl->func;
		add_way(&w, bl->fall);
		if (bl->end == END_TABLE)
			cfg_table_targets(g, b, add_way, &w);
		if (bl->target == NO_BLOCK)
			continue;
		add_way(&w, bl->target);
		if (bl->end == END_CALL && bl->fall != NO_BLOCK)
			g->func.v[g->block.v[bl->target].func].spare &=
				~g->block.v[bl->fall].live_in;
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < w.v.n; i++) {
			const struct func *from = &g->func.v[w.v.v[i].from];
			struct func *to = &g->func.v[w.v.v[i].to];
			regset kept = ~(from->spare | from->written);
			changed |= (to->spare & kept) != 0;
			to->spare &= ~kept;
		}
	}
	vec_free(&w.v);
}

/* Nothing is known of what reads its registers: once the rest is, all of them are alive. */
static void close_opaque(const struct effect *effect, struct cfg *g, const struct func *f)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		struct block *bl = &g->block.v[b];
		bl->live_out = ~(regset)0;
		bl->live_in = effect[b].gen | ~effect[b].kill;
	}
}

struct look {
	struct liveness *w;
	uint32_t f;
};

static void look_at(void *ctx, uint32_t b)
{
	const struct look *l = ctx;
	if (b != NO_BLOCK && l->w->g->block.v[b].func != l->f)
		vec_push(&l->w->found, (struct watch){ b, l->f, false });
}

static void block_looks(struct liveness *w, uint32_t b)
{
	const struct block *bl = &w->g->block.v[b];
	struct look jump = { w, bl->func };
	if (bl->end != END_CALL)
		look_at(&jump, bl->target);
	else if (bl->target != NO_BLOCK)
		vec_push(&w->found, (struct watch){ bl->target, bl->func, true });
	look_at(&jump, bl->fall);
	if (bl->end == END_TABLE)
		cfg_table_targets(w->g, b, look_at, &jump);
}

static void part_effects(void *ctx, size_t part, unsigned worker)
{
	struct liveness *w = (struct liveness *)ctx + part;
	const struct cfg *g = w->g;
	uint32_t first, end = cfg_part_funcs(g, part, &first);
	(void)worker;
	for (uint32_t f = first; f < end; f++)
		for (uint32_t b = g->func.v[f].block, n = g->func.v[f].nblock; n--; b++) {
			w->effect[b] = block_effect(g, &g->block.v[b]);
			block_looks(w, b);
		}
}

static void part_liveness(void *ctx, size_t part, unsigned worker)
{
	struct liveness *all = ctx, w = all[part];
	uint32_t first, f = cfg_part_funcs(w.g, part, &first);
	(void)worker;
	w.changed = false;
	while (f-- > first)
		if (__atomic_exchange_n(&w.due[f], 0, __ATOMIC_ACQUIRE))
			func_liveness(&w, &w.g->func.v[f]);
	all[part] = w;
}

/* What all parts have found, by block. */
static struct watch *all_watches(struct liveness *w, size_t parts, uint32_t *first, size_t nblock)
{
	size_t n = 0;
	for (size_t k = 0; k < parts; k++) {
		n += w[k].found.n;
		for (size_t i = 0; i < w[k].found.n; i++)
			first[w[k].found.v[i].block + 2]++;
	}
	for (size_t b = 0; b < nblock; b++)
		first[b + 2] += first[b + 1];
	struct watch *all = malloc(array_bytes(n + 1, sizeof *all));
	if (!all)
		fatal("out of memory");
	for (size_t k = 0; k < parts; k++) {
		for (size_t i = 0; i < w[k].found.n; i++)
			all[first[w[k].found.v[i].block + 1]++] = w[k].found.v[i];
		vec_free(&w[k].found);
	}
	return all;
}

/*
 * Function by function: few lead into others, or leave flags alive for their callers,
 * so that there is little to do but in the first round.
 */
void cfg_liveness(struct cfg *g)
{
	size_t parts = g->part.n - 1;
	struct liveness *w = arena_array(g->arena, struct liveness, parts);
	struct effect *effect = calloc(g->block.n + 1, sizeof *effect);
	uint32_t *first = calloc(g->block.n + 3, sizeof *first);
	uint8_t *due = arena_array(g->arena, uint8_t, g->func.n + 1);
	bool changed;
	if (!effect || !first)
		fatal("out of memory");
	memset(due, 1, g->func.n);
	for (size_t k = 0; k < parts; k++)
		w[k] = (struct liveness){ .g = g, .effect = effect, .first = first, .due = due };
	parallel(parts, part_effects, w);
	struct watch *watch = all_watches(w, parts, first, g->block.n);
	for (size_t k = 0; k < parts; k++)
		w[k].watch = watch;
	do {
		parallel(parts, part_liveness, w);
		changed = false;
		for (size_t k = 0; k < parts; k++)
			changed |= w[k].changed;
	} while (changed);
	free(watch);
	free(first);
	for (size_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].why != OPAQUE_NOT)
			close_opaque(effect, g, &g->func.v[f]);
	find_spare(g);
	free(effect);
}

regset cfg_scratch(const struct cfg *g, const struct func *f, regset live)
{
	regset usable = ((f->written | f->spare) & ~g->target->no_scratch) | REGSET_FLAGS;
	return usable & ~live;
}
