/* SPDX-License-Identifier: Apache-2.0 */
/* stress.h - code inserted in order to test the rewriter */
#ifndef LDX_INSTR_STRESS_H
#define LDX_INSTR_STRESS_H

#include "instr/count/spot.h"

/*
 * Insert random numbers of no-ops at about every third offset of blocks from..to where code may be
 * inserted: see --ldx-stress.
 */
void plan_nops(struct plan *p, uint32_t from, uint32_t to);

/* The same on three in four of the edges out of these blocks: see --ldx-stress=edges. */
void plan_edge_nops(struct plan *p, uint32_t from, uint32_t to);

/*
 * Insert code that overwrites all dead registers and flags, at about every second such offset: see
 * --ldx-stress=poison.  It overwrites all that counting code could use there, and uses nothing
 * else: a register or flag that is wrongly dead is lost in every run, not only where a counter
 * needs it.  With edges, on every second edge, too.  After counters and their bases have their
 * registers.
 */
void plan_poison(struct plan *p, uint32_t from, uint32_t to, live_vec *live);

#endif
