/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.h - which blocks and edges of a function are counted, or marked
 */
#ifndef LDX_INSTR_COUNT_CHOOSE_H
#define LDX_INSTR_COUNT_CHOOSE_H

#include "cfg/flow.h"

/*
 * Choose what to count, at the least cost, so that the counts of all blocks and edges
 * follow, if they can: all but a tree (Knuth and Stevenson 1973; Ball and Larus, "Optimally
 * profiling and tracing programs", 1994), and all of a block from what was executed before it or,
 * where nothing can stop in it, from the edges that leave it.
 */
enum choice {
	CHOOSE_BLOCKS,	/* the counts of edges need not follow */
	CHOOSE_EDGES,
	CHOOSE_EVERY,	/* every block is counted, and what the edges need beside */
};
void flow_choose(struct flow *w, enum choice choice);
/*
 * Choose blocks and edges (COUNT_COUNTED; costs of edges set by the user) such that it follows
 * from whether they were executed whether all blocks were: one that is not chosen was if an
 * edge of its own that is chosen, or the from of one of its proofs was, and else was not.  What
 * this takes for granted: see cover.c.
 */
void flow_cover(struct flow *w);

#endif
