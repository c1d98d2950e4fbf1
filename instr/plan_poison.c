/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_poison.c - a test of liveness: overwrite registers and flags found dead; see spot.h
 *
 * The code overwrites all that counting code could use there, and uses nothing else.  So a register
 * or flag that is wrongly dead is lost in every run, not only where a counter needs it.
 */
#include "instr/count/spot.h"

/* Does understood code fall into b, and may code be inserted on that edge alone? */
static bool is_fallen_into(const struct cfg *g, uint32_t b)
{
	const struct func *before = b ? &g->func.v[g->block.v[b - 1].func] : NULL;
	return before && !is_named_return(g, b) && g->block.v[b - 1].fall == b && before->is_code &&
		before->why == OPAQUE_NOT;
}

uint8_t stress_runners(const struct cfg *g, uint32_t b, unsigned choice)
{
	/* data in front of a function, or a type's hash, may be read by its distance from it */
	if (choice == 2)
		return RUNS_ALL;
	return choice || !is_fallen_into(g, b) ? RUNS_ENTRY : RUNS_FALL;
}

/* Registers that hold counters in block b, or in the block that falls into it. */
static regset held_in_front(const struct plan *p, uint32_t b)
{
	return p->held[b] | (is_fallen_into(p->g, b) ? p->held[b - 1] : 0);
}

enum { POISON_REGS = 4 }; /* per site */

/* One site for each POISON_REGS registers; the first one overwrites the flags too. */
static void add_sites(struct plan *p, struct site s, regset dead, uint64_t *seed)
{
	regset regs = dead & ~REGSET_FLAGS;
	for (s.dead = dead & REGSET_FLAGS; s.dead | regs; s.dead = 0) {
		for (unsigned n = 0; n < POISON_REGS && regs; n++, regs &= regs - 1)
			s.dead |= regs & -regs;
		s.arg = (uint32_t)(random_next(seed) >> 32);
		if (site_size(p, &s))
			vec_push(&p->site, s);
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
		uint8_t runs = k ? RUNS_ALL : stress_runners(g, b, (unsigned)(r >> 40) % 3);
		if (!k && (in->flags & INSN_LANDING) && is_fallen_into(g, b))
			runs = RUNS_FALL;
		else if (in->flags & INSN_LANDING)
			continue;
		if (r & 1 || in->kind == INSN_NOP || (in->flags & INSN_GLUED))
			continue;
		regset held = k ? w->p->held[b] : held_in_front(w->p, b);
		add_sites(w->p,
			(struct site){.text = f->text,
				.off = in->off,
				.runs = runs,
				.kind = SITE_POISON},
			cfg_scratch(g, f, w->live->v[k]) & w->usable & ~held, &w->seed);
	}
}

void plan_poison(struct plan *p, uint32_t from, uint32_t to, live_vec *live)
{
	const struct cfg *g = p->g;
	const struct target *t = g->target;
	const struct rewrite_options *opt = p->opt;
	regset vectors = t->hold_vectors | t->hold_unit;
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
			w.usable = p->vectors && cfg_is_psabi(g, f) ? ~(regset)0 : ~vectors;
		last = fi;
		poison_block(&w, b);
	}
}
