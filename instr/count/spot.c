/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spot.c - where in a block inserted code is cheap; see spot.h
 */
#include "cfg/liveness.h"
#include "instr/count/spot.h"

#include "runtime/abi.h"

void live_before(const struct cfg *g, const struct block *b, regset *live)
{
	regset l = b->live_out;
	for (uint32_t k = b->ninsn; k-- > 0;)
		live[k] = l = insn_live(g, &g->insn.v[b->insn + k], l);
}

/* The registers live before instruction k of block b. */
static regset live_at(const struct cfg *g, const struct block *b, uint32_t k)
{
	regset l = b->live_out;
	for (uint32_t i = b->ninsn; i-- > k;)
		l = insn_live(g, &g->insn.v[b->insn + i], l);
	return l;
}

uint8_t spot_cost(const struct plan *p, regset dead)
{
	if (p->opt->mode == LDX_MODE_COVER)
		return COUNT_DIRECT;
	const struct counted at = {.to = &p->addressing, .dead = dead};
	return (uint8_t)code_count_kind(p->g->target, &at);
}

static bool better(struct spot *best, bool first, struct spot s)
{
	if (first || s.how < best->how)
		*best = s;
	return best->how == COUNT_DIRECT;
}

/* How many instructions at the function's start set up the frame, as debuggers expect there. */
static uint32_t frame_setup(const struct cfg *g, const struct block *b)
{
	const struct func *f = &g->func.v[b->func];
	uint32_t n = 0;
	if (b == &g->block.v[f->block])
		n = g->target->frame_setup(g->text.v[f->text].sec->data, &g->insn.v[b->insn],
			b->ninsn);
	return n < b->ninsn ? n : 0;
}

struct spot spot_in_block(const struct plan *p, const struct block *b, live_vec *scratch)
{
	const struct cfg *g = p->g;
	vec_reserve(scratch, b->ninsn);
	regset *live = scratch->v;
	const struct func *f = &g->func.v[b->func];
	struct spot best = {0};
	bool first = true;
	live_before(g, b, live);
	for (uint32_t k = frame_setup(g, b); k < b->ninsn; k++) {
		const struct insn *in = &g->insn.v[b->insn + k];
		if (!(in->flags & (INSN_GLUED | INSN_LANDING))) {
			regset dead = cfg_scratch(g, f, live[k]);
			if (better(&best, first,
				    (struct spot){.off = in->off,
					    .runs = RUNS_ALL,
					    .how = spot_cost(p, dead),
					    .dead = dead}))
				return best;
			first = false;
		}
		if (!first && in->flags & INSN_MEM)
			return best;
	}
	if (first) {
		/* a landing only: behind it, where branches to the next block skip the code */
		regset dead = cfg_scratch(g, f, b->live_out);
		best = (struct spot){.runs = RUNS_FALL,
			.how = spot_cost(p, dead),
			.dead = dead,
			.off = (uint32_t)insn_end(&g->insn.v[b->insn + b->ninsn - 1])};
	}
	return best;
}

struct spot spot_behind_faults(const struct plan *p, const struct block *b)
{
	const struct insn *in = &p->g->insn.v[b->insn];
	uint32_t k = b->ninsn - 1, frame = frame_setup(p->g, b);
	while (k > frame && !(in[k - 1].flags & INSN_MEM))
		k--;
	while (in[k].flags & (INSN_GLUED | INSN_LANDING))
		k++;
	return (struct spot){.off = in[k].off, .runs = RUNS_ALL, .how = COUNT_DIRECT};
}

bool loops_to_start(const struct cfg *g, uint32_t fi)
{
	const struct func *f = &g->func.v[fi];
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (g->block.v[b].target == f->block && g->block.v[b].end != END_CALL)
			return true;
	return false;
}

bool is_named_return(const struct cfg *g, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	return b && bl->entry && g->block.v[b - 1].fall == b && g->block.v[b - 1].end == END_CALL &&
		!(g->insn.v[bl->insn].flags & (INSN_LANDING | INSN_GLUED));
}

struct spot spot_at_entry(const struct plan *p, const struct func *f)
{
	const struct cfg *g = p->g;
	const struct block *b = &g->block.v[f->block];
	const struct insn *in = &g->insn.v[b->insn];
	struct spot s = {.runs = RUNS_ENTRY};
	uint32_t k = 0, frame = frame_setup(g, b);
	while (k < b->ninsn && (in[k].flags & (INSN_LANDING | INSN_GLUED)))
		k++;
	s.dead = cfg_scratch(g, f, k ? live_at(g, b, k) : b->live_in);
	if (frame && !loops_to_start(g, (uint32_t)(f - g->func.v))) {
		/* the set-up defines the stack and frame pointers only */
		k = frame;
		s.runs = RUNS_ALL;
	}
	if (k == b->ninsn) /* branches to the next block do not enter the function here */
		s.runs = RUNS_FALL;
	s.off = k < b->ninsn ? in[k].off : (uint32_t)insn_end(&in[k - 1]);
	s.how = spot_cost(p, s.dead);
	return s;
}
