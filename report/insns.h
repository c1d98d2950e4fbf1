/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insns.h - the original instructions of a program with their counts
 */
#ifndef LDX_REPORT_INSNS_H
#define LDX_REPORT_INSNS_H

#include "report/program.h"

struct cs_insn;

struct insn_at {
	const struct program *p;
	const struct map_func *f;
	const struct map_block *b;
	uint64_t address;	    /* in this program */
	uint64_t from;		    /* of the code inserted before it; else its own */
	uint64_t offset;	    /* from the function's start, in the original code */
	uint64_t number;	    /* in its block, from 0 */
	const struct cs_insn *insn; /* with details; NULL: see left_out */
	bool left_out;		    /* a no-op that is no longer there; else it cannot be decoded */
	bool known;		    /* is the count known? */
	uint64_t count;		    /* of its block */
};

/*
 * Call fn for each original instruction of f that is in the program, in the order of the blocks in
 * the map and of the instructions in each.  Each instruction of a block is told, also the no-ops at
 * its end that are no longer there, with the address of the instruction before them.  What cannot
 * be decoded has the address where that began, as have those that follow it in its block.  Opaque
 * functions have none.
 */
void each_insn(const struct program *p, const struct map_func *f,
	void (*fn)(void *ctx, const struct insn_at *in), void *ctx);

#endif
