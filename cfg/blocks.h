/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.h - how blocks end */
#ifndef LDX_CFG_BLOCKS_H
#define LDX_CFG_BLOCKS_H

#include "cfg/cfg.h"

bool block_continues(const struct block *b); /* control may fall through its end */

/* The first of two instructions that together load a register does not read it. */
void join_load_parts(struct cfg *g, const struct code_section *c);

typedef VEC(uint32_t) block_vec;
enum block_end end_of(const struct insn *in);
bool is_metadata(const struct section *s);

#endif
