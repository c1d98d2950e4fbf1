/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.h - what the rewriter says of each piece of code that it has inserted
 *
 * The verifier looks for no inserted code: it believes nothing of a claim either, but executes the
 * code there, and judges whether that does what is claimed (verify/prove.c).
 */
#ifndef LDX_RELOC_CLAIM_H
#define LDX_RELOC_CLAIM_H

#include "base/base.h"

enum claim_kind {
	CLAIM_COUNT,   /* the counter is incremented, or marked */
	CLAIM_HELD,    /* about a counter that a register holds: hold says what */
	CLAIM_FORK,    /* the runtime is told when the system call just made returned 0 */
	CLAIM_THREAD,  /* the runtime is told unless this thread's counters are its own */
	CLAIM_SKIP,    /* jumps over inserted code */
	CLAIM_LANDING, /* what an indirect target must begin with, in front of an old one */
	CLAIM_POISON,  /* overwrites what is dead */
};
enum { CLAIM_KINDS = CLAIM_POISON + 1 };

/* A counter in register reg, and what is done to that; by: another register, or a number. */
enum hold {
	HOLD_BEGIN = 1, /* set to 0 */
	HOLD_COUNT,	/* incremented */
	HOLD_END,	/* added to the counter in memory */
	HOLD_FOLLOW,	/* set to by, which counts in its stead */
	HOLD_STEP,	/* nothing: the next instruction counts */
	HOLD_FETCH,	/* moved to reg from by */
	HOLD_DISTANCE,	/* how far by has gone since, with the other sign */
	HOLD_DIVIDE,	/* divided by 2 to the power of by, of which it is a multiple */
	HOLD_END_LESS,	/* taken from the counter in memory */
};
enum { HOLDS = HOLD_END_LESS + 1 };

struct claim {
	uint32_t sec;	    /* of the original object */
	uint32_t at, len;   /* in the section as it is written */
	int64_t counter;    /* how far its counter is behind the first, in bytes */
	uint8_t kind, hold; /* enum claim_kind, enum hold */
	uint8_t reg, by;    /* CLAIM_HELD */
};
typedef VEC(struct claim) claim_vec;

#endif
