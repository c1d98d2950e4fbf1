/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insertion.h - code that is inserted, and where
 *
 * An insertion is a place and its code, which is built once.  What lays out and writes sections
 * knows nothing else of it, and not what it is for.
 */
#ifndef LDX_INSTR_INSERTION_H
#define LDX_INSTR_INSERTION_H

#include "reloc/frag.h"
#include "targets/code.h"

struct insertion {
	uint32_t text, off; /* in front of this offset of this code section, as in the cfg */
	uint32_t branch;    /* RUNS_EDGE, RUNS_TABLE: the insn whose jump leads through it */
	uint32_t size;	    /* of its code */
	/* the indexes of the first of its bytes, relocations, stack moves and claims */
	uint32_t byte, rel, stack, claim;
	uint16_t nrel, nstack, nclaim;
	uint8_t runs; /* enum runners */
};

typedef VEC(struct insertion) insertion_vec;

/* Code of a branch's edge in front of its target: skip bytes behind the target's label REF_EDGE. */
struct stub {
	uint32_t branch; /* insn */
	uint32_t skip;
};

/*
 * Insertions by text, offset and runners; those of one place in the order in which they run.
 * Offsets in relocations, stack moves and claims are from the code's first byte.
 */
struct insertions {
	insertion_vec v;
	VEC(struct stub) stub; /* by branch */
	VEC(uint8_t) byte;
	VEC(struct reloc) rel;
	VEC(struct stack_move) stack;
	claim_vec claim;
};

/*
 * Append a copy of code, all of whose claims it has, to be inserted where at says, of which only
 * the place is read.  The relocations of one insertion are at most 65535, and so are its stack
 * moves and claims.
 */
void insertions_add(struct insertions *to, struct insertion at, const struct code *code);
void insertions_free(struct insertions *in);

#endif
