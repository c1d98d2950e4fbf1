/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static_map.h - .ldx.map and .ldx.info: what the counters of a build mean
 */
#ifndef LDX_INSTR_STATIC_MAP_H
#define LDX_INSTR_STATIC_MAP_H

#include "instr/plan.h"

/*
 * Append .ldx.map (runtime/abi.h describes it) and, when anything is counted,
 * .ldx.info and .ldx.counters with their symbols.  After layout.
 */
void static_map_write(const struct plan *p);

/*
 * Writes the relocations, two at most, that make the eight bytes at off of a new section the
 * distance from themselves to sym + addend.  Returns what is behind them.
 */
struct reloc *distance_reloc(const struct cfg *g, struct reloc *r, uint32_t sec, uint64_t off,
	uint32_t sym, int64_t addend);

/* The CPU's instructions: the second half of one that is two is one of its own. */
uint32_t count_insns(const struct cfg *g, const struct insn *in, uint32_t n);

#endif
