/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - counters that share a register with the high part of their addresses
 *
 * On CPUs with fixed-length instructions an increment is four of them: the high part of the
 * counter's address, load, add, store.  Counters of one page have the same high part.  A register
 * that is dead from one increment to others keeps it, and these take three instructions.  In a loop
 * that neither calls nor changes such a register, it is set on the edges into the loop.
 */
#ifndef LDX_INSTR_COUNT_BASE_H
#define LDX_INSTR_COUNT_BASE_H

#include "instr/count/count.h"

/* Can plain increments share a register? */
bool can_share_base(const struct plan *p);

/*
 * Choose the registers of functions first..end.  Sorts the sites, and insertions of other makers,
 * before; adds sites.  The counters have their final numbers less counter.
 */
void plan_bases(struct plan *p, uint32_t first, uint32_t end, uint32_t counter,
	struct flow_planner *fp);

#endif
