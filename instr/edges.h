/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edges.h - where code stands that one edge of the control-flow graph runs, and no other
 *
 * Code of a fall-through edge stands behind the branch, where nothing else is led to.  Code of a
 * branch that is taken stands in front of its target, or, if that is in another function, behind
 * the branch: the branch is redirected to it, and others jump over it (stubs.h).
 */
#ifndef LDX_INSTR_EDGES_H
#define LDX_INSTR_EDGES_H

#include "cfg/exits.h"
#include "instr/count/flow.h"
#include "instr/insertion.h"

/*
 * How control leaves block from: by falling through (EDGE_FALL), by its jump or branch, wherever
 * that leads (EDGE_TAKEN), by entries of a table that lead to block to (EDGE_TABLE), or by its last
 * instruction, in any way (EDGE_OUT).
 */
struct way {
	uint32_t from, to; /* to: of EDGE_TABLE only */
	uint8_t kind;	   /* enum edge_kind */
};

static inline struct way edge_way(const struct edge *e)
{
	return (struct way){e->from, e->to, e->by};
}

static inline struct way exit_way(const struct exit *e)
{
	enum edge_kind kind = e->kind == EXIT_BRANCH ? EDGE_TAKEN
		: e->kind == EXIT_FALL		     ? EDGE_FALL
						     : EDGE_OUT;
	return (struct way){e->block, NO_BLOCK, (uint8_t)kind};
}

/*
 * Set at to the place of code on this edge, and *live to the registers and flags that are live
 * there, after cfg_liveness().  Returns NULL; or why no code can stand there.
 */
const char *edge_refused(const struct cfg *g, struct way e, struct place *at, regset *live);

/* Calls visit for each edge out of block b; the targets of a table jump each once. */
void block_ways(const struct cfg *g, uint32_t b, void (*visit)(void *ctx, struct way e), void *ctx);

#endif
