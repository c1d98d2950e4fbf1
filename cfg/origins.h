/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origins.h - values of the kind ORIGIN: where an address to jump to, or a part of one, comes from
 */
#ifndef LDX_CFG_ORIGINS_H
#define LDX_CFG_ORIGINS_H

#include "cfg/values.h"

/* A set, in the low bits of n; none: no path is known to lead there. */
enum origin {
	/*
	 * An argument, a call's result, or eight bytes loaded: a code address there has a
	 * relocation.  Alone, this is ANYTHING.
	 */
	FROM_OUTSIDE = 1,
	FROM_WORD = 2,	      /* four bytes loaded: perhaps a table entry */
	FROM_ENTRY = 4,	      /* loaded from a constant table of code addresses, or of words */
	FROM_TABLE = 8,	      /* the base of a relative table */
	FROM_DATA = 16,	      /* another address in data */
	FROM_LABEL = 32,      /* a code address made by an instruction */
	FROM_SUM = 64,	      /* a sum: see below */
	FROM_OTHER = 128,     /* other arithmetic */
	FROM_POINTERS = 256,  /* the base of such a table */
	FROM_TARGET = 512,    /* where a constant table of words or of distances leads */
	FROM_GOT = 1024,      /* the GOT's address */
	FROM_DISTANCE = 2048, /* the GOT's distance from the function's entry */
};
/*
 * base is the table of which it is the base, a word, an entry's address or a target; or NO_TABLE.
 * FROM_SUM: of instruction lo, and the next bits of n are the origins of what was added, as far as
 * they are terms of addresses.
 */
enum {
	ORIGIN_BITS = 16,
	ORIGIN_MASK = (1 << ORIGIN_BITS) - 1,
	FROM_TERMS = FROM_WORD | FROM_TABLE | FROM_LABEL | FROM_POINTERS,
	SUM_ODD = 1, /* flag: one of several sums, or one that is no base of a table and a word */
};

/* With ANYTHING, and values of other kinds, as ORIGIN. */
struct value origin_in(const struct state *s, int reg);
static inline unsigned origins(struct value v)
{
	return (unsigned)v.n & ORIGIN_MASK;
}
/* What was added: number 1 or 2. */
static inline unsigned origins_of_term(struct value sum, int number)
{
	return (unsigned)(sum.n >> number * ORIGIN_BITS) & ORIGIN_MASK;
}
/* Arguments are from outside; what nothing is known to lead to has no values of its own. */
enter_fn enter_from_outside;

struct value join_origins(struct value a, struct value b);

/*
 * The registers on which the origins depend of what the operation makes; tables: also by which
 * table.
 */
regset origins_depend(const struct operation *op, bool tables);
/* The value of op->dst behind the instruction. */
struct value step_origin(const struct step_at *at, const struct state *s,
	const struct operation *op);
/* The eight bytes that the instruction loads. */
struct value step_pointer(const struct step_at *at, const struct state *s,
	const struct operation *op);

#endif
