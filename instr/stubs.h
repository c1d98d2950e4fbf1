/* SPDX-License-Identifier: Apache-2.0 */
/* stubs.h - code of single edges, in front of the block to which they lead */
#ifndef LDX_INSTR_STUBS_H
#define LDX_INSTR_STUBS_H

#include "cfg/cfg.h"
#include "instr/insertion.h"

/* Is a jump over code of single edges needed in front of block b, of a function that is understood?
 */
bool stubs_need_skip(const struct cfg *g, uint32_t b);

/*
 * Makes the stubs of the branches that lead through insertions, which are sorted: puts jumps over
 * the code of other edges between these.
 */
void stubs_make(const struct cfg *g, struct inserter *w);

#endif
