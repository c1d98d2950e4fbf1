/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_facts.c - facts about blocks and functions that the liveness analysis begins with
 *
 * Dependences between functions, calls that do not return, and functions that may be called
 * indirectly: see live.c.
 */
#include "cfg/blocks.h"
#include "cfg/calls.h"
#include "cfg/live.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/values.h"

#include "base/parallel.h"
#include "reloc/outside.h"

#include <stdlib.h>

/* The state for one part of the code; the facts are shared. */
struct finding {
	struct cfg *g;
	struct facts *facts;
	struct decoder *decoder;
	struct values v;
	const uint8_t *jumped_to; /* by function: others jump to its start */
	bool shared, unsure;
	regset read; /* see struct facts */
	VEC(struct watch) found;
	block_vec last; /* calls at the end of functions */
};

static struct effect block_effect(const struct cfg *g, const struct block *bl)
{
	struct effect e = {0};
	/* if some bytes do not decode, the decoded ones may be wrong too */
	if (g->func.v[bl->func].why == OPAQUE_UNDECODED)
		return (struct effect){.gen = ~(regset)0};
	if (bl->gap)
		return e;
	for (uint32_t i = bl->insn + bl->ninsn; i-- > bl->insn;) {
		const struct insn *in = &g->insn.v[i];
		const struct effects *does = insn_effects(in);
		if (in->flags & INSN_VAGUE) {
			e = (struct effect){.gen = ~(regset)0};
			continue;
		}
		e.gen &= ~does->writes;
		e.kill |= does->writes;
		regset reads = does->reads | (in->caught ? callee_saved(g->target) : 0);
		e.gen |= reads;
		e.kill &= ~reads;
	}
	return e;
}

struct look {
	struct finding *w;
	uint32_t f;
	bool out;
};

static void look_at(void *ctx, uint32_t b)
{
	struct look *l = ctx;
	if (b == NO_BLOCK || l->w->g->block.v[b].func == l->f)
		return;
	vec_push(&l->w->found, (struct watch){b, l->f});
	l->out = true;
}

/* Finds the successors of block b.  May control leave the function there, other than by a call? */
static bool look_around(struct finding *w, uint32_t b)
{
	const struct cfg *g = w->g;
	const struct block *bl = &g->block.v[b];
	struct look l = {.w = w, .f = bl->func};
	look_at(&l, bl->target);
	if (bl->end == END_CALL)
		l.out = false;
	if (bl->end == END_TABLE)
		cfg_table_targets(g, b, look_at, &l);
	bool out = l.out;
	look_at(&l, bl->fall);
	if (block_falls_into_gap(g, bl))
		look_at(&l, bl->fall + 1 < g->block.n ? bl->fall + 1 : NO_BLOCK);
	if (bl->gap)
		look_at(&l, b + 1 < g->block.n ? b + 1 : NO_BLOCK);
	switch ((enum block_end)bl->end) {
	case END_RET:
	case END_LEAVE: return true;
	case END_CALL: return bl->astray;
	case END_JUMP: return out || bl->target == NO_BLOCK;
	case END_BRANCH: return l.out || bl->target == NO_BLOCK || bl->fall == NO_BLOCK;
	case END_FALL:
	case END_SYSCALL: return l.out || bl->fall == NO_BLOCK;
	case END_TABLE: return out;
	case END_TRAP: break;
	}
	return false;
}

/* Each jump by a table is taken to lead to all targets of its function's tables: enter_func(). */
static void look_by_tables(struct finding *w, const struct func *f)
{
	struct look l = {.w = w, .f = (uint32_t)(f - w->g->func.v)};
	for (uint32_t i = f->by_table; i < f->by_table + f->nby_table; i++)
		look_at(&l, w->g->by_table.v[i]);
}

/* What the stack pointer may be restored from, in f. */
struct copies {
	struct finding *w;
	const struct func *f;
	bool walked;
};

/* Nothing is a copy at a label whose address is taken, or where no block of the function leads. */
static bool enter(struct values *v, uint32_t b, bool reached, struct state *s)
{
	bool first = b == v->f->block;
	struct value sp = {.what = FRAME,
		.base = first ? ENTRY_FUNC : ENTRY_BLOCK + b - v->f->block};
	state_set(v, s, v->g->target->stack_reg, sp);
	return !reached || set_has(v->t->taken, v->g->insn.v[v->g->block.v[b].insn].off);
}

static bool look(void *ctx, const struct step_at *at, const struct state *s)
{
	const struct target *t = at->v->g->target;
	struct state behind = *s;
	struct operation op;
	if (at->i != *(const uint32_t *)ctx)
		return false;
	step_describe(at, &op);
	step_execute(at, &behind);
	bool copies = op.op == OP_MOVE || ((op.op == OP_LEA || op.op == OP_LOAD) && op.index < 0);
	return copies && op.dst == t->stack_reg && behind.reg[op.dst].what != ANYTHING;
}

/*
 * Does instruction i of block b restore the stack pointer, from a copy or from the frame?
 *
 * hazard: stack pointer restored.  gcc frees an array of variable length by a copy of the stack
 * pointer: move $sp,$s2, or lw $sp,72($fp) after sw $sp,72($fp).
 */
static bool restores_stack(struct copies *c, uint32_t b, uint32_t i)
{
	struct values *v = &c->w->v;
	struct state s;
	v->kinds = KINDS_STACK;
	v->words = WORDS_OF_COMPILER;
	v->enter = enter;
	if (!c->walked)
		values_walk(v, (uint32_t)(c->f - v->g->func.v));
	c->walked = true;
	values_at(v, b, &s);
	return values_run(v, b, &s, look, &i);
}

/* Does f use its stack pointer as compiled code does, and never access its return address? */
static bool uses_frame(struct copies *copies)
{
	const struct cfg *g = copies->w->g;
	const struct func *f = copies->f;
	const struct code_section *t = &g->text.v[f->text];
	bool framed = false;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		for (uint32_t i = bl->insn; !bl->gap && i < bl->insn + bl->ninsn; i++) {
			const struct insn *in = &g->insn.v[i];
			const struct effects *e = insn_effects(in);
			if (!((e->reads | e->clobbers) & g->target->no_scratch))
				continue;
			enum stack_use use = g->target->stack_use(insn_bytes(t, in), in);
			if (use == STACK_ODD &&
				!(g->target->link_reg >= 0 && restores_stack(copies, b, i)))
				return false;
			if (use == STACK_TOP && !framed)
				return false;
			framed |= use == STACK_FRAME && in->kind == INSN_OTHER;
		}
	}
	return !(framed || g->target->link_reg >= 0) ||
		!returns_elsewhere(&copies->w->v, f, copies->w->jumped_to[f - g->func.v]);
}

static bool keeps_stack(struct finding *w, const struct func *f)
{
	return uses_frame(&(struct copies){.w = w, .f = f});
}

/*
 * Call-clobbered registers that block bl restores from the stack before it returns: the function
 * preserves them for its callers.
 */
static regset restored(const struct cfg *g, const struct block *bl)
{
	const struct target *t = g->target;
	regset set = 0, later = t->no_scratch | REGSET_FLAGS;
	if (bl->end != END_RET)
		return 0;
	for (uint32_t i = bl->insn + bl->ninsn; i-- > bl->insn;) {
		const struct effects *e = insn_effects(&g->insn.v[i]);
		if (e->reads & t->no_scratch)
			set |= e->writes & ~(e->reads | later);
		later |= e->reads | e->clobbers;
	}
	return set & t->abi.call_clobbers;
}

/*
 * May an indirect call or jump of any function lead to block b?  A label within a function with
 * indirect jumps is a target of these only, unless another function takes its address.
 */
static bool is_open(const struct cfg *g, const struct func *f, uint32_t b, bool jumps)
{
	const struct code_section *c = &g->text.v[f->text];
	uint64_t off = g->insn.v[g->block.v[b].insn].off;
	return set_has(c->taken, off) &&
		(b == f->block || set_has(c->entries, off) || !jumps || f->why != OPAQUE_NOT);
}

/* Does block bl return to what it pushes? */
static bool is_pushed(const struct finding *w, const struct block *bl)
{
	const struct cfg *g = w->g;
	struct operation op = {.op = OP_OTHER};
	if (bl->end != END_RET || bl->ninsn < 2)
		return false;
	const struct insn *in = &g->insn.v[bl->insn + bl->ninsn - 2];
	if (insn_effects(in)->clobbers & g->target->no_scratch)
		g->target->describe(w->decoder,
			insn_bytes(&g->text.v[g->func.v[bl->func].text], in), in, &op);
	return op.op == OP_PUSH;
}

/* Does the block call, or jump to, a function whose place a routine of a tool takes? */
static bool leads_to_routine(const struct cfg *g, const struct block *bl)
{
	const struct func *f = bl->target == NO_BLOCK ? NULL
						      : &g->func.v[g->block.v[bl->target].func];
	return f && f->replaced && f->block == bl->target &&
		(bl->end == END_CALL || !func_has_block(f, (uint32_t)(bl - g->block.v)));
}

/* Find the facts about block b of f; returns the traits that it gives f. */
static unsigned block_facts(struct finding *w, const struct func *f, uint32_t b)
{
	struct cfg *g = w->g;
	struct block *bl = &g->block.v[b];
	unsigned traits = look_around(w, b) ? TRAIT_RETURNS : 0;
	const struct symbol *s = w->shared && bl->target != NO_BLOCK ? named_at_end(g, bl) : NULL;
	/* a jump through a table of functions is an indirect tail call */
	bl->chosen |= bl->end == END_TABLE && traits;
	if (bl->end == END_SYSCALL)
		bl->ends = syscall_ends(g->target, w->decoder, g->text.v[f->text].sec->data,
			&g->insn.v[bl->insn], bl->ninsn);
	if (is_pushed(w, bl))
		traits |= TRAIT_ODD | TRAIT_LEAVES;
	bl->elsewhere = (s && is_preemptible(s)) || leads_to_routine(g, bl);
	w->facts->effect[b] = block_effect(g, bl);
	w->facts->effect[b].gen |= g->wanted ? g->wanted[b] : 0;
	w->unsure |= is_unknown_behind(g, bl) && f->is_code && !bl->gap;
	if (bl->end == END_LEAVE || bl->chosen || bl->astray ||
		(bl->end == END_TABLE && f->why != OPAQUE_NOT))
		traits |= TRAIT_LEAVES;
	if (bl->end == END_CALL &&
		(bl->fall == NO_BLOCK || g->block.v[bl->fall].gap ||
			g->block.v[bl->fall].func != bl->func))
		vec_push(&w->last, b);
	return traits;
}

static void func_facts(struct finding *w, struct func *f)
{
	struct cfg *g = w->g;
	unsigned traits = f->why != OPAQUE_NOT ? TRAIT_RETURNS : 0;
	bool jumps = false, returns = false;
	look_by_tables(w, f);
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		traits |= block_facts(w, f, b);
		f->ret_live |= restored(g, bl);
		jumps |= bl->end == END_LEAVE || bl->end == END_TABLE;
		returns |= bl->end == END_RET;
	}
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		g->block.v[b].open = is_open(g, f, b, jumps);
		traits |= g->block.v[b].open ? TRAIT_OPEN : 0;
		w->read |= g->block.v[b].open ? w->facts->effect[b].gen : 0;
	}
	if (g->text.v[f->text].reasons & 1u << OPAQUE_JUMP || f->why == OPAQUE_JUMP)
		traits |= TRAIT_OPEN | TRAIT_COMPUTED;
	f->keeps_stack = !(traits & TRAIT_ODD) && keeps_stack(w, f);
	if (returns && !f->keeps_stack)
		traits |= TRAIT_ODD | TRAIT_LEAVES;
	w->facts->traits[f - g->func.v] = (uint8_t)traits;
}

static void part_facts(void *ctx, size_t part, unsigned worker)
{
	struct finding *w = (struct finding *)ctx + part;
	uint32_t f, end = cfg_part_funcs(w->g, part, &f);
	w->decoder = w->v.decoder = cfg_decoder(w->g, worker);
	for (; f < end; f++)
		func_facts(w, &w->g->func.v[f]);
	values_free(&w->v);
}

/* May the call return that ends block bl, the last one of its function? */
static bool call_returns(const struct finding *w, const struct block *bl)
{
	const struct cfg *g = w->g;
	if (bl->target != NO_BLOCK && !bl->elsewhere)
		return w->facts->traits[g->block.v[bl->target].func] & TRAIT_RETURNS;
	return !never_returns(g, bl);
}

/* A call at the end of a function, and the function that it calls, or NO_FUNC. */
struct last_call {
	uint32_t to, block;
};
typedef VEC(struct last_call) last_call_vec;

static int last_call_cmp(const void *a, const void *b)
{
	const struct last_call *x = a, *y = b;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* If the call that ends block b may return, its function may: queue that if this is new. */
static void find_end(const struct finding *w, uint32_t b, block_vec *todo)
{
	struct block *bl = &w->g->block.v[b];
	uint8_t *traits = &w->facts->traits[bl->func];
	bl->ends = !call_returns(w, bl);
	if (bl->ends || *traits & TRAIT_RETURNS)
		return;
	*traits |= TRAIT_RETURNS;
	vec_push(todo, bl->func);
}

static void join_last(struct finding *w, size_t parts, last_call_vec *all)
{
	const struct cfg *g = w->g;
	for (size_t k = 0; k < parts; k++) {
		for (size_t i = 0; i < w[k].last.n; i++) {
			uint32_t b = w[k].last.v[i], to = g->block.v[b].target;
			vec_push(all,
				(struct last_call){to == NO_BLOCK ? NO_FUNC : g->block.v[to].func,
					b});
		}
		vec_free(&w[k].last);
	}
	if (all->n)
		sort(all->v, all->n, sizeof *all->v, last_call_cmp);
}

/*
 * Find calls at the end of functions that never return: control does not fall into the next one.
 */
static void find_ends(struct finding *w, size_t parts)
{
	last_call_vec all = {0};
	block_vec todo = {0};
	join_last(w, parts, &all);
	for (size_t i = 0; i < all.n; i++)
		find_end(w, all.v[i].block, &todo);
	while (todo.n) {
		uint32_t f = todo.v[--todo.n];
		size_t i;
		BISECT(i, 0, all.n, all.v[i].to < f);
		for (; i < all.n && all.v[i].to == f; i++)
			find_end(w, all.v[i].block, &todo);
	}
	vec_free(&todo);
	vec_free(&all);
}

/* Code outside may call exported functions, and give their addresses to this object. */
static void open_exported(struct finding *w)
{
	struct cfg *g = w->g;
	for (size_t i = g->obj->nlocal; i < g->obj->sym.n; i++) {
		const struct symbol *s = &g->obj->sym.v[i];
		const struct code_section *c = cfg_section(g, s->sec);
		uint32_t b = c ? cfg_block_at(g, c, s->value) : NO_BLOCK;
		if (b == NO_BLOCK || !outside_exports(g->outside, s))
			continue;
		g->block.v[b].open = true;
		w->facts->read |= w->facts->effect[b].gen;
		w->facts->traits[g->block.v[b].func] |= TRAIT_OPEN;
	}
}

/* Do functions of the section stay together for a reason that leaves their callers unknown? */
static bool is_unsure(const struct code_section *c)
{
	unsigned known = 1u << OPAQUE_UNDECODED | 1u << OPAQUE_DATA | 1u << OPAQUE_DISTANCE |
		1u << OPAQUE_JUMP | 1u << OPAQUE_HELD;
	return c->reasons & ~known;
}

static void find_unsure(struct cfg *g)
{
	for (size_t i = 0; i < g->text.n; i++)
		for (uint32_t f = g->text.v[i].func, n = g->text.v[i].nfunc; n--; f++)
			if (g->func.v[f].lump && is_unsure(&g->text.v[i]))
				g->func.v[f].ret_live = ~(regset)0;
}

/* The watches of all parts, by block. */
static struct watch *all_watches(struct finding *w, size_t parts, uint32_t *first, size_t nblock)
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

static void add_jumped_to(uint8_t *jumped_to, const struct cfg *g, uint32_t from, uint32_t to)
{
	if (to != NO_BLOCK && g->block.v[to].func != g->block.v[from].func)
		jumped_to[g->block.v[to].func] |= g->func.v[g->block.v[to].func].block == to;
}

static const uint8_t *find_jumped_to(const struct cfg *g)
{
	uint8_t *jumped_to = arena_array(g->arena, uint8_t, g->func.n + 1);
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		add_jumped_to(jumped_to, g, b, bl->fall);
		if (bl->end != END_CALL)
			add_jumped_to(jumped_to, g, b, bl->target);
	}
	return jumped_to;
}

void live_facts(struct cfg *g, bool shared, struct facts *facts)
{
	const uint8_t *jumped_to = find_jumped_to(g);
	size_t parts = g->part.n - 1;
	struct finding *w = arena_array(g->arena, struct finding, parts);
	*facts = (struct facts){.effect = calloc(g->block.n + 1, sizeof *facts->effect),
		.traits = arena_array(g->arena, uint8_t, g->func.n + 1),
		.first = calloc(g->block.n + 3, sizeof *facts->first)};
	if (!facts->effect || !facts->first)
		fatal("out of memory");
	for (size_t k = 0; k < parts; k++)
		w[k] = (struct finding){.g = g,
			.v = {.g = g},
			.facts = facts,
			.shared = shared,
			.jumped_to = jumped_to};
	parallel(parts, part_facts, w);
	for (size_t k = 0; k < parts; k++) {
		facts->unsure |= w[k].unsure;
		facts->read |= w[k].read;
	}
	find_ends(w, parts);
	open_exported(w);
	find_unsure(g);
	facts->watch = all_watches(w, parts, facts->first, g->block.n);
}

void live_facts_free(struct facts *facts)
{
	free(facts->effect);
	free(facts->first);
	free(facts->watch);
}
