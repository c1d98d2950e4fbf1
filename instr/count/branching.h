/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branching.h - the heaviest choice of at most one way out of each node, without circles
 */
#ifndef LDX_INSTR_COUNT_BRANCHING_H
#define LDX_INSTR_COUNT_BRANCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct way {
	uint32_t from, to;	/* nodes */
	double gain;
};

/*
 * taken, by way: is it chosen?  The sum of the gains is the greatest; of equals the first.  A node
 * without a way of a gain above 0 may take one all the same: give it one that leads to a node
 * without ways.
 */
void max_branching(uint32_t nodes, const struct way *way, size_t n, bool *taken);

#endif
