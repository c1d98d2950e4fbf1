/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.h - which blocks and edges of a function have counters, or marks
 */
#ifndef LDX_INSTR_COUNT_CHOOSE_H
#define LDX_INSTR_COUNT_CHOOSE_H

#include "instr/count/flow.h"

/*
 * Choose what to count, at the least cost, so that the counts of all blocks and edges can be
 * derived: all but a spanning tree (Knuth and Stevenson 1973; Ball and Larus, "Optimally
 * profiling and tracing programs", 1994).  The count of a block is derived from what was executed
 * before it or, where nothing can stop in the block, from the edges out of it.
 */
enum choice {
	CHOOSE_BLOCKS, /* the counts of edges may stay unknown */
	CHOOSE_EDGES,
	CHOOSE_EVERY, /* all blocks, and the edges whose counts do not follow from these */
};
void flow_choose(struct flow *w, enum choice choice);
/*
 * Choose blocks and edges to mark (COUNT_COUNTED; the caller sets the costs of edges) so that the
 * marks determine all executed blocks: a block without a mark was executed if one of its marked
 * edges, or the source of one of its proofs, was executed; otherwise it was not.  What this
 * assumes: see cover.c.
 */
void flow_cover(struct flow *w);

#endif
