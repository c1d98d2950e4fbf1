/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - which counters share a page of memory */
#ifndef LDX_INSTR_COUNT_ORDER_H
#define LDX_INSTR_COUNT_ORDER_H

#include "instr/plan.h"

/*
 * New numbers for the counters of a statically linked program, by their old ones; first, end, by
 * function: its old ones.
 */
uint32_t *counters_order(const struct plan *p, const uint32_t *first, const uint32_t *end);

#endif
