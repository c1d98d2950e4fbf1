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

/* A place in code: see struct insertion. */
struct place {
	uint32_t text, off, branch;
	uint8_t runs; /* enum runners */
};

/* Orders places by text, offset, runners, and for RUNS_EDGE and RUNS_TABLE by branch. */
static inline int place_cmp(struct place x, struct place y)
{
	if (x.text != y.text)
		return x.text < y.text ? -1 : 1;
	if (x.off != y.off)
		return x.off < y.off ? -1 : 1;
	if (x.runs != y.runs)
		return x.runs < y.runs ? -1 : 1;
	bool by_branch = x.runs == RUNS_EDGE || x.runs == RUNS_TABLE;
	return !by_branch || x.branch == y.branch ? 0 : x.branch < y.branch ? -1 : 1;
}

/* Who inserts; of the insertions of one place the first one of this list runs first. */
enum maker {
	MAKER_THREADS, /* checks whether this thread has cells of its own */
	MAKER_FORKS,   /* checks whether this may be a new process or thread */
	MAKER_TOOLS,
	MAKER_POISON,
	MAKER_NOPS,
	MAKER_COUNT,
	MAKER_STUBS, /* jumps over other insertions */
};

struct insertion {
	uint32_t text, off; /* in front of this offset of this code section, as in the cfg */
	uint32_t branch;    /* RUNS_EDGE, _LEAVE, _TABLE: the insn whose jump leads through it */
	uint32_t id;	    /* of use to its maker only */
	regset changes;	    /* the registers and flags that its code may change */
	uint8_t runs;	    /* enum runners */
	uint8_t maker;	    /* enum maker */
	bool leads_on;	    /* a jump of MAKER_STUBS: to where branch led */
	uint16_t often;	    /* RUNS_EDGE, RUNS_TABLE: grows with the edge's estimated frequency */
	/* its code: the size, the indexes of the first byte, relocation, stack move and claim */
	uint16_t nrel, nstack, nclaim;
	uint32_t size, byte, rel, stack, claim;
};

typedef VEC(struct insertion) insertion_vec;

/* Where branch leads through code of its edge: skip bytes behind the label of use at off. */
struct stub {
	uint32_t branch; /* insn */
	uint32_t off, skip;
	uint8_t use; /* REF_EDGE, REF_LEAVE, or, where branch is a jump by table, REF_TABLE */
};

/* Offsets in relocations, stack moves and claims are from the first byte of an insertion's code. */
struct insertions {
	insertion_vec v;
	VEC(struct stub) stub; /* by branch, then by off */
	VEC(uint8_t) byte;
	VEC(struct reloc) rel;
	VEC(struct stack_move) stack;
	claim_vec claim;
};

/* Sort by place, then by maker, then as inserted. */
void insertions_sort(struct insertions *in);
/* Free all but the stubs. */
void insertions_free_code(struct insertions *in);
void insertions_free(struct insertions *in);

/*
 * Builds insertions one after another: code is appended to code, then inserted.  It must not be
 * moved in memory.
 */
struct inserter {
	struct insertions *to;
	struct code code;
	claim_vec claims; /* of code */
};

/* claims: code makes claims. */
void inserter_start(struct inserter *w, struct insertions *to, bool claims);
void inserter_end(struct inserter *w);

/*
 * Inserts the code where at says, of which only what is above the code is read, and empties it.
 * The relocations of one insertion are at most 65535, and so are its stack moves and claims.
 */
void insert(struct inserter *w, struct insertion at);

#endif
