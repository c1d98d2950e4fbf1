/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stated.h - what the rewriter has found out about the old code
 *
 * The verifier does not search for it, and does not trust it: it checks that each fact follows from
 * the others (verify/live.c, values.c, halves.c, sums.c, changes.c, endless.c).
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

/* What a register, or a word of the frame, holds at a place of the code. */
enum holds {
	HOLDS_RESULT = 1,   /* of the instruction at n */
	HOLDS_SAME,	    /* of that, or of others that make the same address */
	HOLDS_UP_TO,	    /* a number of at most n */
	HOLDS_LOW_UP_TO,    /* the low four bytes are at most n */
	HOLDS_NOTHING,	    /* control does not come there */
	HOLDS_COMPARED,	    /* what the flags compare with n */
	HOLDS_LOW_COMPARED, /* the same low four bytes as that */
	HOLDS_HIGH,	    /* the high half of an address, of the relocation at n */
	/* of table n of words, or of some table: ANY_TABLE */
	HOLDS_TABLE,  /* its address, or the high half of that */
	HOLDS_ENTRY,  /* the address of a word */
	HOLDS_WORD,   /* a word, which is a distance */
	HOLDS_TARGET, /* where a word leads */
	HOLDS_SUM,    /* only of struct sums_at */
	HOLDS_STORED, /* of a function's start: memory may hold labels of code; no place */
};
enum { ANY_TABLE = UINT32_MAX };
enum { FRAME_WORDS = 64 }; /* of held_at.place: from here on words, from the stack pointer up */

struct held_at {
	uint32_t sec, off; /* of the original object */
	uint32_t n;
	int16_t place; /* the number of a register, or FRAME_WORDS + a number */
	uint8_t holds; /* enum holds */
};
typedef VEC(struct held_at) held_at_vec;

/* A table of n words in data that lead to code. */
struct words_at {
	uint32_t sec, off, n;
};

/* An indirect jump to where a word of that table leads. */
struct jump_at {
	uint32_t sec, off;
	uint32_t words; /* the table's number; ANY_TABLE: of one to which its function refers */
};
typedef VEC(struct jump_at) jump_at_vec;

/* A number from lo to hi, or a label of code with such a number added; see cfg/arithmetic.h. */
enum sum_kind {
	SUM_NUMBER,
	SUM_LABEL,
	SUM_SEVERAL, /* labels, one of those that the function names */
	SUM_GOT_DISTANCE,
	SUM_NOWHERE, /* control does not come there */
};
enum sum_flags {
	SUM_BOUNDED = 1,
	SUM_ADDED = 2,
	SUM_WEAK = 4,
	SUM_OTHERS = 8,
	SUM_ENDS = 16, /* starts of functions that never return */
};
struct sum_at {
	uint32_t sec, off; /* the label */
	int32_t lo, hi;	   /* SUM_BOUNDED */
	uint8_t kind, flags;
};

/* What several registers hold at a place of the code. */
struct sums_at {
	uint32_t sec, off; /* of the original object */
	uint32_t sum;	   /* its number in stated.sum */
	uint32_t regs;
};

/* A jump by a table of scaled distances, and the instructions that make its target: offsets. */
struct table_at {
	uint32_t sec; /* of the code */
	uint32_t page, name, load, anchor, sum, jump;
	uint32_t n;  /* entries */
	bool closed; /* by where the table ends, not by what its index holds */
	bool proved;
};

/* The low half at off belongs to the high half at high: offsets of their fields. */
struct half_at {
	uint32_t sec, off, high;
};

/* A place in a section of the original object. */
struct place_at {
	uint32_t sec, off;
};

/* The registers that a call of the function at off changes, of those that a callee may change. */
struct changes_at {
	uint32_t sec, off;
	regset set;
};

struct stated {
	VEC(struct fact_at) at; /* by section and offset */
	VEC(struct fact) fact;	/* different ones */
	held_at_vec held;
	VEC(struct sum_at) sum; /* different ones of each function */
	VEC(struct sums_at) sums;
	VEC(struct half_at) half; /* of those that belong to one of several */
	VEC(struct table_at) table;
	VEC(struct words_at) words; /* by section and offset */
	jump_at_vec jump;
	VEC(struct place_at) endless; /* starts of functions that never return */
	VEC(struct changes_at) changes;
	uint32_t *slot; /* 1 + a number of these, by hash; 0: free */
	size_t slots;	/* a power of two, or 0 */
};

void stated_add(struct stated *all, uint32_t sec, uint32_t off, const struct fact *fact);
void stated_clear(struct stated *all); /* of what is live */
void stated_free(struct stated *all);

#endif
