/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.h - counters for the blocks and edges of whole functions
 *
 * Blocks and edges are counted where it is cheapest, and only as many as tell the
 * counts of all: see flow_choose().  An edge that is no block's only one is counted
 * behind a branch that falls through, or in front of the branch's target, where all
 * other control jumps over its code (Larus and Ball, "Rewriting executable files to
 * measure program behavior", 1994).
 */
#ifndef LDX_INSTR_COUNT_COUNT_H
#define LDX_INSTR_COUNT_COUNT_H

#include "instr/count/spot.h"

enum { NO_EDGE = UINT32_MAX };

/* Blocks of a loop over which counters may be held in registers; by the loop's head. */
struct held {
	uint32_t home;	   /* of any block: the head of those it is of, or NO_BLOCK */
	struct step step;  /* of any block: its own, where those do nothing else to the register, */
	uint32_t step_off; /* by the instruction here */
	regset busy;	   /* registers they use, or have to leave alone */
	regset changed, twice; /* that an instruction changes; two do */
	regset spare;	       /* dead on all ways out */
	uint32_t ninsn;
	uint32_t inside, in, out; /* their edges: lists */
	uint32_t nin, nout;
	bool fits, done;
};
struct held_counter {
	uint32_t number;
	float freq;
	struct step step; /* that counts as often, by the instruction here */
	uint32_t step_off;
	bool held;
	uint8_t reg; /* that holds it */
};

/* Room that is used again for each function; zeroed but for flow.g, returns, given, decoder. */
struct flow_planner {
	struct flow flow;
	struct decoder *decoder; /* the worker's */
	VEC(struct spot) spot;
	live_vec live;
	VEC(struct held) hold; /* by block */
	VEC(uint32_t) next[2]; /* by edge: of lists of edges inside or in, and out */
	VEC(struct held_counter) counter;
	int psabi; /* may vector registers be used: as cfg_is_psabi() says, < 0: ask */
};

/* A site for code on edge e, which nothing else runs; false: there can be none. */
bool edge_site(const struct cfg *g, const struct edge *e, struct site *s);

/* Of a counter on the way from one block to another, so frequent; of a block: twice the same. */
uint8_t flow_repeat(const struct flow *w, uint32_t from, uint32_t to, float freq);

/* Count edge e, which has such a site, with a code that leaves the registers keep alone. */
void count_edge(struct plan *p, const struct flow *w, const struct edge *e, regset keep);

/* Make blocks of loops cheap to count where a register that the loop steps can tell. */
void plan_hold_steps(struct plan *p, struct flow_planner *fp);
/*
 * Then hold counters of short loops in registers where that pays.  Those of the function are
 * first and up; p's sites from number sites on are theirs.
 */
void plan_hold(struct plan *p, struct flow_planner *fp, size_t sites, uint32_t first);

void plan_flow(struct plan *p, uint32_t fi, struct flow_planner *fp);
/* Marks instead, as many as tell which blocks were executed: see flow_cover(). */
void plan_cover(struct plan *p, uint32_t fi, struct flow_planner *fp);
void plan_flow_free(struct flow_planner *fp);

/* Order the code of edges that lead to one place; p's sites are sorted, and stay so. */
void plan_stubs(struct plan *p);

#endif
