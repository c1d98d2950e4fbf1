/* SPDX-License-Identifier: Apache-2.0 */
/* stress.c - code inserted in order to test the rewriter; see stress.h */
#include "cfg/liveness.h"
#include "instr/stress.h"

#include "instr/edges.h"

#include <stdlib.h>

/* Does understood code fall into b, and may code be inserted on that edge alone? */
static bool is_fallen_into(const struct cfg *g, uint32_t b)
{
	const struct func *before = b ? &g->func.v[g->block.v[b - 1].func] : NULL;
	return before && !is_named_return(g, b) && g->block.v[b - 1].fall == b && before->is_code &&
		before->why == OPAQUE_NOT;
}

/* The enum runners of code in front of block b, by choice 0, 1 or 2. */
static uint8_t runners(const struct cfg *g, uint32_t b, unsigned choice)
{
	/* data in front of a function, or a type's hash, may be read by its distance from it */
	if (choice == 2)
		return RUNS_ALL;
	return choice || !is_fallen_into(g, b) ? RUNS_ENTRY : RUNS_FALL;
}

static void put_nops(const struct target *t, struct code *out, uint32_t n)
{
	code_grow(out, n);
	t->nops(small_v(&out->bytes) + out->bytes.n, n);
	out->bytes.n += n;
}

/* Random no-ops at this place. */
static void add_nops(struct plan *p, struct place at, uint64_t r)
{
	const struct target *t = p->g->target;
	uint32_t n = r >> 8 & 0x3f ? 1 + (uint32_t)(r >> 16) % 9 : 1 + (uint32_t)(r >> 16) % 200;
	put_nops(t, &p->in->code, n * t->code_align);
	insert(p->in,
		(struct insertion){.text = at.text,
			.off = at.off,
			.branch = at.branch,
			.runs = at.runs,
			.maker = MAKER_NOPS});
}

void plan_nops(struct plan *p, uint32_t from, uint32_t to)
{
	const struct cfg *g = p->g;
	uint64_t seed = random_start(p->opt->stress_seed ^ (uint64_t)from << 32);
	for (uint32_t b = from; b < to; b++) {
		const struct block *bl = &g->block.v[b];
		const struct func *f = &g->func.v[bl->func];
		if (bl->gap || !f->is_code || f->why != OPAQUE_NOT)
			continue;
		for (uint32_t k = 0; k < bl->ninsn; k++) {
			const struct insn *in = &g->insn.v[bl->insn + k];
			uint64_t r = random_next(&seed);
			if (r % 3 || in->kind == INSN_NOP ||
				(in->flags & (INSN_GLUED | INSN_LANDING)))
				continue;
			add_nops(p,
				(struct place){.text = f->text,
					.off = in->off,
					.runs = k ? RUNS_ALL
						  : runners(g, b, (uint8_t)(r >> 40) % 3)},
				r);
		}
	}
}

struct edge_nops {
	struct plan *p;
	uint64_t seed;
};

static void add_edge_nops(void *ctx, struct way e)
{
	struct edge_nops *w = ctx;
	uint64_t r = random_next(&w->seed);
	struct place at;
	regset live;
	if (r % 4 && !edge_refused(w->p->g, e, &at, &live))
		add_nops(w->p, at, r);
}

void plan_edge_nops(struct plan *p, uint32_t from, uint32_t to)
{
	struct edge_nops w = {.p = p,
		.seed = random_start(p->opt->edges_seed ^ (uint64_t)from << 32)};
	for (uint32_t b = from; b < to; b++)
		if (!p->g->block.v[b].gap)
			block_ways(p->g, b, add_edge_nops, &w);
}

/* Registers that hold counters in block b, or in the block that falls into it. */
static regset held_in_front(const struct plan *p, uint32_t b)
{
	return p->held[b] | (is_fallen_into(p->g, b) ? p->held[b - 1] : 0);
}

enum { POISON_REGS = 4 }; /* per insertion */

/* One insertion for each POISON_REGS registers; the first one overwrites the flags too. */
static void add_poison(struct plan *p, struct insertion at, regset dead, uint64_t *seed)
{
	regset regs = dead & (REGSET_GENERAL | p->g->target->micro->vectors);
	for (at.changes = dead & REGSET_FLAGS; at.changes | regs; at.changes = 0) {
		for (unsigned n = 0; n < POISON_REGS && regs; n++, regs &= regs - 1)
			at.changes |= regs & -regs;
		code_poison(p->g->target, &p->in->code, p->sym_poison,
			(uint32_t)(random_next(seed) >> 32), at.changes);
		if (p->in->code.bytes.n)
			insert(p->in, at);
	}
}

struct poison {
	struct plan *p;
	live_vec *live;
	uint64_t seed;
	regset usable; /* in the function that is being poisoned */
};

static void poison_block(struct poison *w, uint32_t b)
{
	const struct cfg *g = w->p->g;
	const struct block *bl = &g->block.v[b];
	const struct func *f = &g->func.v[bl->func];
	vec_reserve(w->live, bl->ninsn);
	live_before(g, bl, w->live->v);
	for (uint32_t k = 0; k < bl->ninsn; k++) {
		const struct insn *in = &g->insn.v[bl->insn + k];
		uint64_t r = random_next(&w->seed);
		uint8_t runs = k ? RUNS_ALL : runners(g, b, (unsigned)(r >> 40) % 3);
		if (!k && (in->flags & INSN_LANDING) && is_fallen_into(g, b))
			runs = RUNS_FALL;
		else if (in->flags & INSN_LANDING)
			continue;
		if (r & 1 || in->kind == INSN_NOP || (in->flags & INSN_GLUED))
			continue;
		regset held = k ? w->p->held[b] : held_in_front(w->p, b);
		add_poison(w->p,
			(struct insertion){.text = f->text,
				.off = in->off,
				.runs = runs,
				.maker = MAKER_POISON},
			cfg_scratch(g, f, w->live->v[k]) & w->usable & ~held, &w->seed);
	}
}

/* Registers that hold counters where code of this edge stands. */
static regset held_on(const struct plan *p, struct way e)
{
	const struct block *b = &p->g->block.v[e.from];
	regset held = p->held[e.from];
	if (e.kind == EDGE_TABLE)
		held |= p->held[e.to];
	if (e.kind == EDGE_TAKEN && b->target != NO_BLOCK)
		held |= p->held[b->target];
	return b->fall == NO_BLOCK ? held : held | p->held[b->fall];
}

static void poison_edge(void *ctx, struct way e)
{
	struct poison *w = ctx;
	const struct cfg *g = w->p->g;
	struct place at;
	regset live;
	if (random_next(&w->seed) & 1 || edge_refused(g, e, &at, &live))
		return;
	add_poison(w->p,
		(struct insertion){.text = at.text,
			.off = at.off,
			.branch = at.branch,
			.runs = at.runs,
			.maker = MAKER_POISON},
		cfg_scratch(g, &g->func.v[g->block.v[e.from].func], live) & w->usable &
			~held_on(w->p, e),
		&w->seed);
}

void plan_poison(struct plan *p, uint32_t from, uint32_t to, live_vec *live)
{
	const struct cfg *g = p->g;
	const struct rewrite_options *opt = p->opt;
	struct poison w = {.p = p,
		.live = live,
		.seed = random_start(opt->poison_seed ^ (uint64_t)from << 32)};
	uint32_t last = NO_FUNC;
	for (uint32_t b = from; b < to; b++) {
		uint32_t fi = g->block.v[b].func;
		const struct func *f = &g->func.v[fi];
		if (g->block.v[b].gap || !f->is_code || f->why != OPAQUE_NOT ||
			(p->selected && !p->selected[fi]))
			continue;
		if (fi != last)
			w.usable = p->vectors && cfg_is_psabi(g, f) ? ~(regset)0 : ~REGSET_VECTORS;
		last = fi;
		poison_block(&w, b);
		if (opt->edges)
			block_ways(g, b, poison_edge, &w);
	}
}
