/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stubs.h - code of single edges
 *
 * It stands in front of the block to which the edges lead; where that is in another function,
 *behind the branch, and ends in a jump to there:
 *
 *		branch target		branch 1f
 *					jump 2f
 *				1:	code
 *					jump target
 *				2:
 */
#ifndef LDX_INSTR_STUBS_H
#define LDX_INSTR_STUBS_H

#include "cfg/cfg.h"
#include "instr/insertion.h"

/* Is a jump over code of single edges needed in front of block b, of a function that is understood?
 */
bool stubs_need_skip(const struct cfg *g, uint32_t b);

/* Bytes to jump over so that a jump has its longest form. */
enum { LONG_JUMP = 1 << 16 };

/* The form of the jumps that lead on, and its bytes. */
void stubs_jump(const struct cfg *g, struct insn *jump, uint8_t bytes[16]);

/*
 * Makes the stubs of the branches that lead through insertions, which are sorted: puts jumps over
 * the code of other edges between these.  old: scratch.
 */
void stubs_make(const struct cfg *g, struct inserter *w, insertion_vec *old);

#endif
