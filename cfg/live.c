/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - which registers and flags are live where blocks begin and end
 *
 * Backward data flow over all blocks of the object, registers and flags alike, through calls
 * and returns.  What is live where a function begins is so before each call of it, and what is
 * live behind a call, or in whatever the function returns to, is live where it returns: so all
 * that callers have in a register comes to be live throughout a function that leaves it alone,
 * and in those that it calls.  Calling conventions of any kind (clang's, gcc -fipa-ra,
 * hand-written ones) show by what is read.
 *
 * Calls and jumps to addresses may lead to every function whose address is taken or exported,
 * and to code outside of the object.  That follows the psABI, leaves alone what it likes, and
 * keeps what it likes in registers that it calls a function of ours with, as the psABI says.
 * A label in the middle of a function that has jumps to addresses is taken for a target of these.
 * Opaque functions are followed too: their jumps may lead to each of their instructions, or to any
 * address, and what they run into that is no known instruction may do everything.
 *
 * All is the smallest solution, so it does not depend on the order in which threads come to it.
 */
#include "cfg/live.h"
#include "base/parallel.h"

#include <stdlib.h>

/* Of calls and jumps to addresses, all together. */
struct unknown {
	regset in;	/* live where they lead, */
	regset ret;	/* and where that returns to */
};

/* Of one part of the code; the arrays are everybody's. */
struct liveness {
	struct cfg *g;
	const struct facts *facts;
	uint8_t *due;		/* by function: something it takes from others has grown */
	struct unknown *unknown;
	regset any;		/* of the opaque function that is looked at: all that it may read */
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

static void grow(regset *set, regset by)
{
	if (by & ~peek(set))
		__atomic_fetch_or(set, by, __ATOMIC_RELAXED);
}

/* The live set before insn in, given that behind it. */
regset insn_live(const struct cfg *g, const struct insn *in, regset live)
{
	if (in->flags & INSN_VAGUE)
		return ~(regset)0;
	const struct effects *e = insn_effects(in);
	live = (live & ~e->writes) | e->reads;
	return in->caught ? live | kept_by_unwinding(g->target) : live;
}

/* These are alive where f returns. */
static void need_behind(struct liveness *w, struct func *f, regset behind)
{
	behind &= ~w->g->target->ret_live;
	if (!(behind & ~peek(&f->ret_live)))
		return;
	__atomic_fetch_or(&f->ret_live, behind, __ATOMIC_RELAXED);
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

/* The function looked at is opaque, and jumps nobody knows where in it. */
static void add_anywhere(struct liveness *w, const struct func *f)
{
	w->live |= w->any;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		w->live |= w->g->block.v[b].live_out;
}

/* Control leaves the function looked at for one outside of the object, which returns for it. */
static void add_leaving(struct liveness *w)
{
	const struct target *t = w->g->target;
	w->live |= t->entry_live | t->ret_live | peek(&w->func->ret_live);
}

/* The same where it may be one of the object whose address is taken. */
static void add_unknown(struct liveness *w)
{
	add_leaving(w);
	w->live |= peek(&w->unknown->in);
	grow(&w->unknown->ret, peek(&w->func->ret_live));
}

/* A branch out of block bl: to a block, or to what has no block. */
static void add_branch(struct liveness *w, const struct block *bl)
{
	if (bl->target != NO_BLOCK)
		add_target(w, bl->target);
	if (bl->chosen)
		add_unknown(w);
	else if (bl->target == NO_BLOCK || bl->elsewhere)
		add_leaving(w);
}

/* What is live behind a call comes out of the callee, if we know it; or goes through it. */
static void add_call(struct liveness *w, const struct block *bl, regset behind)
{
	struct cfg *g = w->g;
	const struct target *t = g->target;
	w->live |= t->entry_live | behind;
	if (bl->target != NO_BLOCK) {
		w->live |= peek(&g->block.v[bl->target].live_in);
		need_behind(w, &g->func.v[g->block.v[bl->target].func], behind);
	} else if (bl->chosen || bl->astray) {
		w->live |= bl->astray ? ~(regset)0 : peek(&w->unknown->in);
		grow(&w->unknown->ret, behind & ~t->ret_live);
	}
}

/*
 * Block bl branches into an instruction, which goes on where the same one does that has its lock
 * prefix: false, it does not.
 */
static bool add_split(struct liveness *w, const struct block *bl)
{
	const struct cfg *g = w->g;
	const struct text *c = &g->text.v[w->func->text];
	struct ref r;
	if (!cfg_ref(g, c, bl->insn + bl->ninsn - 1, &r) || r.sec != c->sec->index)
		return false;
	uint32_t i = cfg_insn_at(g, c, r.off);
	uint32_t behind = i == UINT32_MAX ? NO_BLOCK : cfg_block_at(g, c, insn_end(&g->insn.v[i]));
	if (behind == NO_BLOCK || !(g->insn.v[i].flags & INSN_LOCK_SPLIT) ||
		r.off != g->insn.v[i].off + 1u || g->block.v[behind].func != bl->func)
		return false;
	w->live |= insn_live(g, &g->insn.v[i], g->block.v[behind].live_in);
	return true;
}

/* Of padding: what it falls to, if there is anything in it that does. */
static void add_padding(struct liveness *w, const struct block *bl)
{
	struct cfg *g = w->g;
	const struct text *c = &g->text.v[w->func->text];
	uint32_t next = (uint32_t)(bl - g->block.v) + 1;
	if (next < c->block + c->nblock && g->insn.v[g->block.v[next].insn].off ==
		insn_end(&g->insn.v[bl->insn + bl->ninsn - 1]))
		add_target(w, next);
	w->live |= g->target->ret_live;
}

static regset live_out(struct liveness *w, const struct block *bl)
{
	struct cfg *g = w->g;
	const struct target *t = g->target;
	const struct func *f = &g->func.v[bl->func];
	regset fall = 0;
	w->func = f;
	w->live = 0;
	if (bl->astray && bl->end != END_CALL && !add_split(w, bl)) {
		grow(&w->unknown->ret, peek(&f->ret_live));
		return ~(regset)0;
	}
	if (bl->gap)
		add_padding(w, bl);
	else if (bl->fall != NO_BLOCK && !bl->ends)
		add_target(w, bl->fall);
	else if (is_unknown_behind(g, bl) || (block_continues(bl) && bl->end != END_CALL))
		w->live = ~(regset)0;
	if (bl->gap)
		return w->live;
	fall = w->live;
	if (bl->astray && bl->end != END_CALL)
		return fall; /* with what is live at its target */
	w->live = 0;
	switch ((enum block_end)bl->end) {
	case END_FALL: case END_SYSCALL:
		w->live = fall;
		break;
	case END_JUMP: case END_BRANCH:
		w->live = fall;
		add_branch(w, bl);
		break;
	case END_CALL:
		add_call(w, bl, fall);
		break;
	case END_TABLE: case END_LEAVE:
		if (f->why != OPAQUE_NOT)
			add_anywhere(w, f);
		if (bl->end == END_TABLE)
			cfg_table_targets(g, (uint32_t)(bl - g->block.v), add_target, w);
		if (bl->end == END_LEAVE || bl->chosen || f->why != OPAQUE_NOT)
			add_unknown(w);
		add_taken(w, f);
		w->live |= t->entry_live;
		break;
	case END_RET:
		w->live = t->ret_live | peek(&f->ret_live);
		if (w->facts->traits[bl->func] & TRAIT_ODD)
			add_unknown(w);
		break;
	case END_TRAP:
		w->live = t->ret_live;
		break;
	}
	return w->live;
}

/* These have come to what is live in front of block b. */
static void tell_watchers(struct liveness *w, uint32_t b, regset more)
{
	const struct facts *k = w->facts;
	for (uint32_t i = k->first[b]; i < k->first[b + 1]; i++)
		__atomic_store_n(&w->due[k->watch[i].func], 1, __ATOMIC_RELEASE);
	if (w->g->block.v[b].open)
		grow(&w->unknown->in, more);
}

/* All that instructions of f read, if it is opaque: its jumps may lead to each of them. */
static regset reads_anywhere(const struct cfg *g, const struct func *f)
{
	regset any = f->why == OPAQUE_UNDECODED || g->text.v[f->text].frozen ? ~(regset)0 : 0;
	uint32_t end = f->block + f->nblock;
	for (uint32_t b = f->block; b < end && f->why != OPAQUE_NOT && ~any; b++)
		for (uint32_t i = g->block.v[b].insn, n = g->block.v[b].ninsn; n--; i++)
			any |= insn_live(g, &g->insn.v[i], 0);
	return any;
}

/* Until nothing changes inside f.  What it takes from other functions is as it is now. */
static void func_liveness(struct liveness *w, const struct func *f)
{
	struct cfg *g = w->g;
	const struct effect *effect = w->facts->effect;
	bool changed = true;
	w->any = reads_anywhere(g, f);
	while (changed) {
		changed = false;
		for (uint32_t b = f->block + f->nblock; b-- > f->block;) {
			struct block *bl = &g->block.v[b];
			regset out = live_out(w, bl);
			regset in = effect[b].gen | (out & ~effect[b].kill);
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

/* Nothing is known of what reads its registers: once the rest is, all of them are alive. */
static void close_opaque(const struct effect *effect, struct cfg *g, const struct func *f)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		struct block *bl = &g->block.v[b];
		bl->live_out = ~(regset)0;
		bl->live_in = effect[b].gen | ~effect[b].kill;
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

/* What is called by its address needs and leaves more than the last time: all of those are due. */
static bool unknown_grew(struct liveness *w, struct unknown *last)
{
	struct unknown now = *w->unknown;
	struct cfg *g = w->g;
	bool in = now.in & ~last->in, ret = now.ret & ~last->ret;
	for (size_t f = 0; f < g->func.n && (in || ret); f++) {
		if (in && w->facts->traits[f] & TRAIT_LEAVES)
			w->due[f] = 1;
		if (ret && w->facts->traits[f] & TRAIT_OPEN)
			need_behind(w, &g->func.v[f], now.ret);
	}
	*last = now;
	return in || ret;
}

/* Function by function: most of what calls need and leave is known after few rounds. */
void cfg_liveness(struct cfg *g, bool shared)
{
	size_t parts = g->part.n - 1;
	struct liveness *w = arena_array(g->arena, struct liveness, parts);
	uint8_t *due = arena_array(g->arena, uint8_t, g->func.n + 1);
	struct facts facts;
	struct unknown unknown = { 0 }, last = { 0 };
	bool changed;
	if (!parts)
		return;
	live_facts(g, shared, &facts);
	if (facts.unsure)
		unknown.ret = ~(regset)0;
	memset(due, 1, g->func.n);
	for (size_t k = 0; k < parts; k++)
		w[k] = (struct liveness){ .g = g, .facts = &facts, .due = due, .unknown = &unknown };
	do {
		parallel(parts, part_liveness, w);
		changed = unknown_grew(w, &last);
		for (size_t k = 0; k < parts; k++)
			changed |= w[k].changed;
	} while (changed);
	for (size_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].why != OPAQUE_NOT)
			close_opaque(facts.effect, g, &g->func.v[f]);
	live_facts_free(&facts);
}

/*
 * Registers that nobody passes anything in, to a function or from it: who counts on them knows
 * what the function does, so that it shows in the object.
 */
static regset never_passed(const struct target *t)
{
	return t->call_clobbers & ~(t->entry_live | t->ret_live | t->no_scratch | REGSET_FLAGS);
}

/* Its address may lead to it by no function call. */
static bool is_jumped_to(const struct cfg *g, const struct func *f)
{
	return !is_function_symbol(g, f) && set_has(g->text.v[f->text].taken, f->start);
}

regset cfg_scratch(const struct cfg *g, const struct func *f, regset live)
{
	regset usable = f->written | (is_jumped_to(g, f) ? 0 : never_passed(g->target));
	return ((usable & ~g->target->no_scratch) | REGSET_FLAGS) & ~live;
}
