/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.c - may a signal handler change the context that it returns to?
 *
 * Its address is the third argument of a handler.  One that reads this argument may change the
 * context.
 *
 * The context is also above the handler's frame, where the kernel puts it; next to it are what the
 * second argument points at, and what frame pointers lead to.  So the functions that handlers call
 * must not use memory above the frames of all of these, at constant distances from the stack
 * pointer or an argument; not pass on, store or add to the address of such memory or of a register
 * that they save; and not read registers that are their callers'.  Other addresses in a frame are
 * those of variables, and it is assumed that what is computed from them stays within the variable.
 */
#include "cfg/libc.h"
#include "program/handlers.h"
#include "cfg/blocks.h"
#include "cfg/calls.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/regions.h"
#include "cfg/values.h"

#include <stdlib.h>

/* Blocks that handlers reach while the third argument is still in its register. */
struct context {
	const struct cfg *g;
	uint8_t *seen; /* by block */
	block_vec work;
	bool used;
	uint32_t at; /* the function that uses it */
};

static void context_block(void *ctx, uint32_t b)
{
	struct context *w = ctx;
	if (b != NO_BLOCK && !w->seen[b]) {
		w->seen[b] = 1;
		vec_push(&w->work, b);
	}
}

/* Does block bl read the context (used is set), or overwrite the register? */
static bool context_ends(struct context *w, const struct block *bl)
{
	const struct cfg *g = w->g;
	regset reg = REG_BIT(g->target->abi.arg[2]);
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
		const struct insn *in = &g->insn.v[i];
		const struct effects *e = insn_effects(in);
		bool calls = in->kind == INSN_CALL || in->kind == INSN_CALL_IND ||
			in->kind == INSN_JUMP || in->kind == INSN_JUMP_IND || in->kind == INSN_RET;
		if (calls)
			break;
		w->used |= (e->reads & reg) || (in->flags & INSN_VAGUE);
		if (e->clobbers & reg)
			return true;
	}
	return w->used;
}

static void context_by_block(struct context *w, const struct block *bl)
{
	const struct cfg *g = w->g;
	const struct symbol *s = named_at_end(g, bl);
	w->at = bl->func;
	if (g->func.v[bl->func].why != OPAQUE_NOT)
		w->used = true;
	if (w->used || context_ends(w, bl) || bl->end == END_RET || bl->end == END_TRAP)
		return;
	if (bl->end == END_TABLE)
		cfg_table_targets(g, (uint32_t)(bl - g->block.v), context_block, w);
	bool own = bl->target != NO_BLOCK && !in_libc(g, g->block.v[bl->target].func);
	/* callers may know which registers a function of their own file preserves */
	if (bl->end != END_CALL || own)
		context_block(w, bl->fall);
	if (own)
		context_block(w, bl->target);
	else if (bl->end != END_FALL && bl->end != END_TABLE)
		/* no function of the C library that handlers call changes the context */
		w->used |= !s || !is_libcs(g, s);
}

struct reason uses_context(const struct cfg *g, const uint8_t *handler)
{
	struct context w = {.g = g, .seen = arena_array(g->arena, uint8_t, g->block.n + 1)};
	for (uint32_t f = 0; f < g->func.n; f++)
		if (handler[f] && g->func.v[f].nblock)
			context_block(&w, g->func.v[f].block);
	while (w.work.n && !w.used)
		context_by_block(&w, &g->block.v[w.work.v[--w.work.n]]);
	vec_free(&w.work);
	return (struct reason){
		w.used ? "may use the third argument of a handler, the context" : NULL, w.at};
}

/* What is above frames ----------------------------------------------------- */

enum { SIGINFO = 128, ARGS = 3 };
static const int64_t FAR = INT64_MAX / 2;

/* Of a function: where memory begins that is in no frame of it or of a caller. */
struct room {
	int64_t above;	   /* from its stack pointer at its start */
	int64_t arg[ARGS]; /* from its arguments */
	bool known, handler;
	bool part; /* of another function, which jumps here */
};
typedef VEC(int64_t) offset_vec;
struct finding {
	const struct cfg *g;
	struct values v;
	struct room *room; /* by function */
	region_vec work;   /* functions */
	bool found;
	bool indirect;	      /* they call functions that are not known */
	int64_t passed[ARGS]; /* the least room behind arguments of such functions and callbacks */

	/* of the current function */
	uint32_t at;
	const struct room *now;
	offset_vec saved; /* where it saves registers */
	regset saves;
};

static void visit(struct finding *w, uint32_t f, const struct room *r)
{
	struct room *to = &w->room[f];
	if (in_libc(w->g, f) || !w->g->func.v[f].nblock)
		return;
	bool changed = !to->known || r->above < to->above || (to->part && !r->part);
	to->above = to->known && to->above < r->above ? to->above : r->above;
	for (int i = 0; i < ARGS; i++) {
		changed |= to->known && r->arg[i] < to->arg[i];
		to->arg[i] = to->known && to->arg[i] < r->arg[i] ? to->arg[i] : r->arg[i];
	}
	to->part = r->part && (!to->known || to->part);
	to->handler |= r->handler;
	to->known = true;
	if (changed)
		vec_push(&w->work, f);
}

/* Does a register hold, at the start of the function, what only its callers know? */
static bool is_callers(const struct finding *w, unsigned reg)
{
	const struct target *t = w->g->target;
	regset set = callee_saved(t) & ~REG_BIT(t->stack_reg);
	/* of the others only a frame pointer is saved */
	return !w->now->part && (set & REG_BIT(reg)) &&
		(!(t->no_scratch & REG_BIT(reg)) || (w->saves & REG_BIT(reg)));
}

static bool is_saved_at(const struct finding *w, int64_t off)
{
	for (size_t i = 0; i < w->saved.n; i++)
		if (w->saved.v[i] == off)
			return true;
	return false;
}

/* Is it, plus at bytes, an address above all frames, or made from what is there? */
static bool is_above(const struct finding *w, struct value v, int64_t at)
{
	const struct target *t = w->g->target;
	const struct room *r = w->now;
	if (v.what == FRAME)
		return v.n + at >= r->above;
	if (v.what == NEAR)
		return v.n >= (r->handler ? 0 : r->above);
	if (v.what != ARGUMENT)
		return false;
	if (r->handler && v.reg == t->abi.arg[1])
		return v.n + at < 0 || v.n + at >= SIGINFO;
	for (int i = 0; i < ARGS; i++)
		if (v.reg == t->abi.arg[i])
			return v.n + at >= r->arg[i];
	return is_callers(w, v.reg);
}

/* May an address that is passed on, stored or added to lead there? */
static bool leads_above(const struct finding *w, struct value v, int64_t at)
{
	bool frame = v.what == FRAME || v.what == NEAR;
	return is_above(w, v, at) || (frame && is_saved_at(w, v.what == FRAME ? v.n + at : v.n));
}

/* Does the instruction store register reg in the frame? */
static bool stores_there(const struct operation *op, const struct state *s, unsigned reg,
	int64_t *off)
{
	bool store = op->op == OP_STORE || op->op == OP_STORE_PAIR;
	if (!store || op->base < 0 || s->reg[op->base].what != FRAME ||
		(op->index >= 0 && op->op == OP_STORE))
		return false;
	*off = s->reg[op->base].n + op->disp;
	if (op->op == OP_STORE_PAIR && op->index == (int)reg)
		*off += op->size;
	return op->src == (int)reg || (op->op == OP_STORE_PAIR && op->index == (int)reg);
}

/* Where does the instruction save a register of the function's callers? */
static bool find_saved(void *ctx, const struct step_at *at, const struct state *s)
{
	struct finding *w = ctx;
	const struct target *t = w->g->target;
	struct operation op;
	if (at->leads)
		return false;
	step_describe(at, &op);
	for (unsigned r = 0; r < REGS; r++) {
		struct value v = s->reg[r], sp = s->reg[t->stack_reg];
		int64_t off = sp.n - 8;
		bool there = (op.op == OP_PUSH && op.src == (int)r && sp.what == FRAME) ||
			stores_there(&op, s, r, &off);
		if (!there || v.what != ARGUMENT || v.n || v.reg != r ||
			!(callee_saved(t) & REG_BIT(r)))
			continue;
		vec_push(&w->saved, off);
		w->saves |= REG_BIT(r);
	}
	return false;
}

/* The stack's first argument is where va_list begins, and there only arguments are read. */
static bool starts_va_list(const struct finding *w, struct value v)
{
	const struct target *t = w->g->target;
	return !w->now->handler && v.what == FRAME && v.n == (t->link_reg >= 0 ? 0 : t->word);
}

static bool check_insn(void *ctx, const struct step_at *at, const struct state *s)
{
	struct finding *w = ctx;
	const struct target *t = w->g->target;
	struct operation op;
	struct zone a;
	int64_t off;
	if (at->in->kind == INSN_NOP || at->leads)
		return false;
	step_describe(at, &op);
	regset rest = step_lost(at, &op) & ~REG_BIT(t->stack_reg);
	bool stores = op.op == OP_STORE || op.op == OP_STORE_PAIR || op.op == OP_PUSH;
	if (op.op != OP_LEA && t->zone(insn_bytes(at->v->t, at->in), at->in, &a) && a.base >= 0) {
		struct value v = s->reg[a.base];
		bool beyond = a.far || a.index >= 0;
		w->found |= beyond ? leads_above(w, v, a.at) : is_above(w, v, a.at);
		if (!stores || op.src != a.base)
			rest &= ~REG_BIT(a.base);
	}
	int64_t disp = op.op == OP_LEA ? op.disp : 0; /* with an index */
	for (unsigned r = 0; r < REGS; r++) {
		struct value v = s->reg[r];
		bool there = op.op == OP_PUSH || stores_there(&op, s, r, &off);
		bool kept = there && ((v.what == ARGUMENT && !v.n) || starts_va_list(w, v));
		if ((rest & REG_BIT(r)) && !kept)
			w->found |= leads_above(w, v, disp);
	}
	return w->found;
}

/* What the function at the end of block bl finds, if its frame begins at the stack pointer + at. */
static struct room room_for(const struct finding *w, const struct state *s, int64_t at)
{
	const struct target *t = w->g->target;
	struct value sp = s->reg[t->stack_reg];
	struct room r = {.above = w->now->above, .known = true};
	if (sp.what == FRAME)
		r.above -= sp.n + at;
	for (int i = 0; i < ARGS; i++) {
		struct value v = s->reg[t->abi.arg[i]];
		r.arg[i] = FAR;
		if (v.what == FRAME || v.what == NEAR)
			r.arg[i] = w->now->above - v.n;
		for (int k = 0; k < ARGS && v.what == ARGUMENT; k++)
			if (v.reg == t->abi.arg[k] && w->now->arg[k] != FAR)
				r.arg[i] = w->now->arg[k] - v.n;
	}
	return r;
}

/* The function is not known, or (s) one of the C library: what it calls back has any arguments. */
static void pass_to_unknown(struct finding *w, const struct symbol *s, const struct room *r)
{
	if (s && !calls_back(w->g, s, true))
		return;
	for (int i = 0; i < ARGS; i++)
		for (int k = 0; k < ARGS; k++)
			if ((s || i == k) && r->arg[k] < w->passed[i])
				w->passed[i] = r->arg[k];
}

/* Control leaves the function at the end of block bl, to block to or (NO_BLOCK) elsewhere. */
static void check_leaving(struct finding *w, const struct block *bl, uint32_t to,
	const struct state *s)
{
	const struct cfg *g = w->g;
	const struct target *t = g->target;
	bool calls = bl->end == END_CALL;
	struct value sp = s->reg[t->stack_reg];
	struct room r = room_for(w, s, calls && t->link_reg < 0 ? -(int64_t)t->word : 0);
	r.part = !calls && (sp.what != FRAME || sp.n);
	for (unsigned i = 0; i < REGS && !r.part; i++)
		if (arguments(t) & REG_BIT(i))
			w->found |= leads_above(w, s->reg[i], 0);
	const struct symbol *name = to == NO_BLOCK ? named_at_end(g, bl) : NULL;
	bool libc = name && is_libcs(g, name);
	w->indirect |= to == NO_BLOCK && !libc;
	if (to == NO_BLOCK) {
		pass_to_unknown(w, libc ? name : NULL, &r);
		return;
	}
	uint32_t f = g->block.v[to].func;
	if (g->func.v[f].block == to)
		visit(w, f, &r);
}

static void check_end(struct finding *w, const struct block *bl, const struct state *s)
{
	const struct cfg *g = w->g;
	if (bl->end == END_CALL ||
		(bl->target != NO_BLOCK && g->block.v[bl->target].func != bl->func) ||
		(bl->target == NO_BLOCK && (bl->end == END_JUMP || bl->end == END_BRANCH)) ||
		bl->end == END_LEAVE || bl->chosen)
		check_leaving(w, bl, bl->target, s);
	if (bl->end != END_CALL && bl->fall != NO_BLOCK && g->block.v[bl->fall].func != bl->func)
		check_leaving(w, bl, bl->fall, s);
}

/*
 * What is elsewhere, such as the function's unlikely part, comes back with the frame that the block
 * has otherwise.
 */
static bool enter_whole(struct values *v, uint32_t b, bool reached, struct state *s)
{
	return enter_with_arguments(v, b, reached, s) && (!reached || b == v->f->block);
}

static bool is_followed(struct finding *w, uint32_t fi)
{
	const struct func *f = &w->g->func.v[fi];
	struct state s;
	if (f->why != OPAQUE_NOT)
		return false;
	values_walk(&w->v, fi);
	values_at(&w->v, f->block, &s);
	return s.reg[w->g->target->stack_reg].what == FRAME;
}

static void check_func(struct finding *w, uint32_t fi)
{
	const struct cfg *g = w->g;
	const struct func *f = &g->func.v[fi];
	struct state s;
	w->found |= !is_followed(w, fi);
	w->at = fi;
	w->now = &w->room[fi];
	w->saved.n = 0;
	w->saves = 0;
	for (int pass = 0; pass < 2 && !w->found; pass++)
		for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
			if (!values_at(&w->v, b, &s))
				continue;
			values_run(&w->v, b, &s, pass ? check_insn : find_saved, w);
			if (pass)
				check_end(w, &g->block.v[b], &s);
		}
}

static void check_all(struct finding *w)
{
	while (w->work.n && !w->found)
		check_func(w, w->work.v[--w->work.n]);
}

struct reason finds_context(const struct cfg *g, const uint8_t *handler, const uint8_t *reached)
{
	struct finding w = {.g = g,
		.v = {.g = g,
			.decoder = cfg_decoder(g, 0),
			.kinds = KINDS_PASSED,
			.words = WORDS_ALL,
			.enter = enter_whole},
		.room = arena_array(g->arena, struct room, g->func.n + 1),
		.passed = {FAR, FAR, FAR}};
	struct room r = {.above = g->target->abi.arg_home, .arg = {FAR, FAR, FAR}, .handler = true};
	for (uint32_t f = 0; f < g->func.n; f++)
		if (reached[f] && handler[f])
			visit(&w, f, &r);
	check_all(&w);
	r.handler = false;
	do {
		memcpy(r.arg, w.passed, sizeof r.arg);
		for (uint32_t f = 0; f < g->func.n && w.indirect; f++)
			if (reached[f] && called_from_anywhere(g, &g->func.v[f]))
				visit(&w, f, &r);
		check_all(&w);
	} while (memcmp(r.arg, w.passed, sizeof r.arg));
	r.part = true;
	for (uint32_t f = 0; f < g->func.n; f++)
		if (reached[f] && !w.room[f].known)
			visit(&w, f, &r);
	check_all(&w);
	vec_free(&w.work);
	vec_free(&w.saved);
	values_free(&w.v);
	return (struct reason){
		w.found ? "may use memory above its frame, where a handler's context is" : NULL,
		w.at};
}
