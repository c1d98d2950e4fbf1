/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insns.h - the original instructions of a program with their counts
 */
#ifndef LDX_REPORT_INSNS_H
#define LDX_REPORT_INSNS_H

#include "report/read/program.h"
#include "targets/insn.h"

struct insn_at {
	const struct program *p;
	const struct map_func *f;
	const struct map_block *b;
	uint64_t address; /* in this program */
	uint64_t from;	  /* address of the code inserted before it; else its own */
	uint64_t offset;  /* from the function's start, in the original code */
	uint64_t number;  /* in its block, from 0 */
	const uint8_t *bytes;
	const struct insn *insn; /* NULL: left out or not decodable */
	uint8_t size;	/* in bytes, without a second part, which is told as the next one */
	bool is_last;	/* control leaves the block by it, or behind it */
	bool left_out;	/* padding that was replaced */
	bool known;	/* is the count known? */
	uint64_t count; /* of its block */
};

/* The decoder of the program's CPU, the same for each call. */
struct decoder *insn_decoder(const struct program *p);

/*
 * Call fn for each original instruction of f that is in the program, in the order of the blocks in
 * the map and of the instructions in each.  This includes padding at a block's end that was
 * replaced, with the address of the instruction before it.  An instruction that cannot be decoded,
 * and those that follow it in its block, have the address at which decoding failed.  Opaque
 * functions have no instructions.
 */
void each_insn(const struct program *p, const struct map_func *f,
	void (*fn)(void *ctx, const struct insn_at *in), void *ctx);

#endif
