/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.h - counters for the blocks and edges of whole functions
 *
 * flow_choose() chooses the cheapest set of blocks and edges from whose counts all others follow.
 * The counter of a critical edge stands behind the branch if the edge falls through, else in front
 * of the branch's target, where control on other edges jumps over it (Larus and Ball, "Rewriting
 * executable files to measure program behavior", 1994).
 */
#ifndef LDX_INSTR_COUNT_COUNT_H
#define LDX_INSTR_COUNT_COUNT_H

#include "instr/count/spot.h"

enum { NO_EDGE = UINT32_MAX };

/* A region of a loop in which counters may be held, at its head; the first three for each block. */
struct held {
	uint32_t home; /* head of the loop whose region contains the block, or NO_BLOCK */
	struct step
		step; /* the block's step of a register without other definitions in the region, */
	uint32_t step_off;     /* by the instruction here */
	regset busy;	       /* registers that are used or live in the region */
	regset changed, twice; /* registers that an instruction changes; that two change */
	regset late;	       /* changed between code on an edge in or out and the edge's end */
	regset spare;	       /* dead on all edges out */
	uint32_t ninsn;
	uint32_t inside, in, out; /* lists of edges: within, into and out of the region */
	uint32_t nin, nout;
	bool fits, done;
};
struct held_counter {
	uint32_t number;
	float freq;
	struct step step; /* of the counted block */
	uint32_t step_off;
	bool held;
	uint8_t reg; /* holds the counter */
};

/*
 * Code that changes some registers, then a site, that sets or uses any one of sets, and may change
 * others.  have: the registers that are available in front of the site; need: needed behind it.
 */
struct base_step {
	regset changes, sets, site_changes, have, need;
	uint32_t site;
	float freq;
};
struct base_block {
	regset have, need; /* at its start */
	regset set_before; /* of a loop's header: set on all edges into the loop where needed */
	regset paid;	   /* of a loop's header: an increment in it makes that worth its price */
	float price;
};

/*
 * May code stand in front of opaque function f, whose entries run it?  Only if it is entered as a
 * function, and nothing in it depends on its start.
 */
bool entry_is_safe(const struct cfg *g, const struct func *f);

/* A worker's memory, reused for each function; zeroed but for decoder, flow.g, .returns, .prior. */
struct flow_planner {
	struct flow flow;
	struct decoder *decoder; /* the worker's */
	VEC(struct spot) spot;
	live_vec live;
	VEC(struct held) hold; /* by block */
	VEC(uint32_t) next[2]; /* by edge: the next one of its list inside or in, and of list out */
	VEC(struct held_counter) counter;
	VEC(struct base_step) step;   /* see base.c */
	VEC(struct base_block) share; /* by block */
	VEC(regset) along;	      /* by edge: registers that are available at its end */
	VEC(uint32_t) list;	      /* by block, then by edge: its first step; CSR */
	site_vec base;		      /* to be added to the plan */
	insertion_vec old;	      /* of stubs_make() */
	int psabi; /* may vector registers be used: cfg_is_psabi(), < 0: not called yet */
};

/* Insert the code of the part's sites, whose counters have their final numbers. */
void sites_insert(const struct plan *p);

/* Count at a spot; the counter's number + 1. */
uint32_t plan_counter(struct plan *p, uint32_t text, struct spot s);

/* Count functions first..end, as far as they are selected. */
void plan_counters(struct plan *p, uint32_t first, uint32_t end, struct flow_planner *fp);

/* A site for code that only edge e executes; false: there is none. */
bool edge_site(const struct cfg *g, const struct edge *e, struct site *s);

/* What control that falls into block b pays for jumping over code of single branches. */
float skip_cost(const struct flow *w, uint32_t b);

/* The REPEAT_* of a counter on the edge from -> to, of this frequency; for a block, from == to. */
uint8_t flow_repeat(const struct flow *w, uint32_t from, uint32_t to, float freq);

/* The cost of each increment, relative to a single instruction, measured; < 0: e has no site. */
extern const float kind_cost[COUNT_KINDS];
float edge_cost(const struct plan *p, const struct flow *w, const struct edge *e);

void count_block(struct plan *p, const struct flow *w, uint32_t b, struct spot s);
/* Count edge e, for which edge_site() is true, by code that does not change the registers keep. */
void count_edge(struct plan *p, const struct flow *w, const struct edge *e, regset keep);

/* Lower the cost of blocks whose count an induction variable gives; before flow_choose(). */
void plan_hold_steps(struct plan *p, struct flow_planner *fp);
/*
 * Hold counters of short loops in registers where that pays; after flow_choose().  The function's
 * counters are first and up; their sites are p->site[sites] and up.
 */
void plan_hold(struct plan *p, struct flow_planner *fp, size_t sites, uint32_t first);

void plan_flow(struct plan *p, uint32_t fi, struct flow_planner *fp);
/* The same for mode cover, with marks: see flow_cover(). */
void plan_cover(struct plan *p, uint32_t fi, struct flow_planner *fp);
void plan_flow_free(struct flow_planner *fp);

#endif
