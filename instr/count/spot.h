/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spot.h - where in a block, or at the entry of a function, code is inserted
 *
 * A block is counted at the first offset where counting code is cheapest: where the flags are dead
 * an increment is one instruction.  It is never counted behind an instruction that may fault,
 * because a signal handler may leave the block there, nor behind its last instruction.  Between a
 * load-exclusive and its store no code is inserted: a block that begins there is counted behind the
 * store.
 */
#ifndef LDX_INSTR_COUNT_SPOT_H
#define LDX_INSTR_COUNT_SPOT_H

#include "instr/plan.h"

struct spot {
	uint32_t off;
	uint8_t runs, how; /* enum runners, enum count_kind */
	uint8_t repeat;	   /* as in struct counter_addressing; set by the caller */
	regset dead;
};

typedef VEC(regset) live_vec;

/* The registers live before each instruction of a block; live has room for ninsn sets. */
void live_before(const struct cfg *g, const struct block *b, regset *live);

/* Where to count block b.  scratch belongs to the caller, and may grow. */
struct spot spot_in_block(const struct plan *p, const struct block *b, live_vec *scratch);

/*
 * For a mark, which needs no dead register or flag: behind all instructions of the block that may
 * fault.  The last instruction must not fault, and code may be inserted before it.
 */
struct spot spot_behind_faults(const struct plan *p, const struct block *b);

/* The enum count_kind of an increment where the registers and flags dead are dead. */
uint8_t spot_cost(const struct plan *p, regset dead);

/*
 * Does block b follow a call, and is its address taken?  Code may compare that address with the
 * return address (speculative load hardening does): code is inserted between the two only
 * where it must be.
 */
bool is_named_return(const struct cfg *g, uint32_t b);

/* Does a branch in function fi lead to its start?  Then its first block's count is not its calls.
 */
bool loops_to_start(const struct cfg *g, uint32_t fi);

/*
 * Where to count the calls of f: behind a landing instruction, and behind the set-up of its frame
 * unless a branch in f leads to its start.
 */
struct spot spot_at_entry(const struct plan *p, const struct func *f);

#endif
