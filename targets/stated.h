/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stated.h - what the rewriter has found out about the old code
 *
 * The verifier does not search for it, and does not trust it: it checks that each fact follows from
 * the others (verify/live.c).
 */
#ifndef LDX_TARGETS_STATED_H
#define LDX_TARGETS_STATED_H

#include "targets/insn.h"

/* Registers and flags at a place of the code. */
struct fact {
	regset use;  /* they may be read before the function returns */
	regset pass; /* what is in them may still be there when it returns */
	regset ret;  /* live where it returns to */
};

struct fact_at {
	uint32_t sec, off; /* of the original object */
	uint32_t fact;	   /* its number in stated.fact */
};

struct stated {
	VEC(struct fact_at) at; /* by section and offset */
	VEC(struct fact) fact;	/* different ones */
	uint32_t *slot;		/* 1 + a number of these, by hash; 0: free */
	size_t slots;		/* a power of two, or 0 */
};

void stated_add(struct stated *all, uint32_t sec, uint32_t off, const struct fact *fact);
void stated_clear(struct stated *all);
void stated_free(struct stated *all);

#endif
