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

#endif
