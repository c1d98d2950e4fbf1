/* SPDX-License-Identifier: Apache-2.0 */
/*
 * called.h - functions that are entered by calls in the object only: their entries need no counter
 *
 * The number of entries is the sum of the counts of the blocks that end in these calls.  Each of
 * the blocks has a counter of its own, as its count may be too great when it is derived: for a
 * function that control never came to, the sum must be 0.
 */
#ifndef LDX_INSTR_COUNT_CALLED_H
#define LDX_INSTR_COUNT_CALLED_H

#include "instr/plan.h"

struct called {
	uint32_t *first; /* by function: its first one of site, CSR */
	uint32_t *site;	 /* the blocks that end in calls of it, in their order */
	uint64_t *calls; /* blocks, as a set of bits: all of site */
};

/* In the object's arena. */
const struct called *called_find(const struct plan *p);

/* How many blocks call function f; 0: it is entered otherwise, too; c may be NULL. */
static inline uint32_t called_sites(const struct called *c, uint32_t f)
{
	return c ? c->first[f + 1] - c->first[f] : 0;
}

/* How many of n functions have sites?  c may be NULL. */
uint32_t called_functions(const struct called *c, size_t n);

/* Must block b have a counter?  c may be NULL. */
static inline bool called_counts(const struct called *c, uint32_t b)
{
	return c && c->calls[b >> 6] >> (b & 63) & 1;
}

#endif
