/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branching.h - a maximum branching: at most one arc out of each node, without cycles, of the
 * greatest total weight
 */
#ifndef LDX_INSTR_COUNT_BRANCHING_H
#define LDX_INSTR_COUNT_BRANCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weighted_arc {
	uint32_t from, to; /* nodes */
	double weight;
};

/*
 * Sets taken[arc].  Of equal weights the first arc is taken.  A node takes an arc even when none
 * has a weight above 0: to leave it without one, give it an arc of weight 0 to a node without arcs.
 */
void max_branching(uint32_t nodes, const struct weighted_arc *arc, size_t n, bool *taken);

#endif
