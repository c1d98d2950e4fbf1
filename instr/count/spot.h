/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spot.h - where code goes into a block or a function's entry
 *
 * A block is counted as early in it as the counting code is cheap: where the flags are
 * dead a counter costs one instruction.  But never behind an instruction that may
 * fault, because a handler may leave the block for good there, nor behind its
 * last one.
 */
#ifndef LDX_INSTR_COUNT_SPOT_H
#define LDX_INSTR_COUNT_SPOT_H

#include "instr/plan.h"

struct spot {
	uint32_t off;
	uint8_t part, how;	/* how: enum count_kind */
	uint8_t repeat;		/* as in struct reach; for the user to set */
	regset dead;
};

typedef VEC(regset) live_vec;

/* The live sets before each instruction of a block; live has room for ninsn. */
void live_before(const struct cfg *g, const struct block *b, regset *live);

/* scratch is the caller's, and grows. */
struct spot spot_in_block(const struct plan *p, const struct block *b, live_vec *scratch);

/*
 * For a mark, which needs nothing dead: behind all in the block that may fault.  The
 * last instruction may not, and may have code in front.
 */
struct spot spot_behind_faults(const struct plan *p, const struct block *b);

/* The enum count_kind of a counter where these are dead. */
uint8_t spot_cost(const struct plan *p, regset dead);

/*
 * Is block b behind a call, and its address taken?  Code may compare that with the return address
 * (speculative load hardening does): what need not stand between the two does not.
 */
bool is_named_return(const struct cfg *g, uint32_t b);

/* Does anything in f branch to its start?  Then its first block is no measure of its calls. */
bool loops_to_start(const struct cfg *g, uint32_t fi);

/*
 * In front of f, but behind a landing, and behind the set-up of its frame unless
 * something in f branches to its start.
 */
struct spot spot_at_entry(const struct plan *p, const struct func *f);

/* Stress: where code in front of block b goes, for a choice of 0, 1 or 2. */
uint8_t stress_part(const struct cfg *g, uint32_t b, unsigned choice);

/*
 * Sites that overwrite what counting code could take, in about every second place of the blocks
 * from..to where code may go: see --ldx-stress=poison.
 */
void plan_poison(struct plan *p, uint32_t from, uint32_t to, live_vec *live);

#endif
