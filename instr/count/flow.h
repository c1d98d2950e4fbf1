/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow.h - the control-flow graph of one function: edges, natural loops, estimated frequencies
 */
#ifndef LDX_INSTR_COUNT_FLOW_H
#define LDX_INSTR_COUNT_FLOW_H

#include "program/program.h"
#include "base/loops.h"

enum edge_kind {
	EDGE_FALL,
	EDGE_TAKEN,
	EDGE_TABLE,
	EDGE_IN,  /* from outside: entries, landing pads, calls that may not return once */
	EDGE_OUT, /* to outside */
};
enum count_state {
	COUNT_DERIVED, /* from other counts: a block is entered as often as it is left */
	COUNT_COUNTED,
	COUNT_UNKNOWN, /* neither counted nor derived */
};
struct edge {
	uint32_t from, to; /* blocks; NO_BLOCK: outside */
	uint8_t kind;	   /* enum edge_kind */
	uint8_t by;	   /* the same; of EDGE_OUT: EDGE_FALL or EDGE_TAKEN if it is that, too */
	uint8_t state;	   /* enum count_state; set by flow_choose() */
	bool critical;	   /* from has other successors, to other predecessors */
	bool by_next;	   /* derived from the edges out of block to; set by flow_choose() */
	bool own;	   /* must have a counter.  Set by the caller */
	bool known;	   /* counters of other functions tell its count.  Set by the caller */
	float freq;	   /* estimated executions for each call */
	float cost;	   /* of an increment; < 0: impossible.  Set by the caller */
};
/* Blocks are numbered from flow.first, the first block of the function. */
struct flow_block {
	uint32_t edge, nedge; /* the edges out of it */
	uint8_t state;	      /* enum count_state; never COUNT_UNKNOWN */
	bool by_next;	      /* as for edges */
	bool own;	      /* must have a counter.  Set by the caller */
	bool late;	      /* flow_cover(): its mark goes behind instructions that may fault */
	float freq, cost;     /* as for edges; a block can always be counted */
};
/* A block in the loop forest; blocks are numbered from 0 in their function. */
struct loop_block {
	uint32_t head;	/* header of the loop around it, not itself; or NO_BLOCK */
	uint32_t depth; /* how many loops it is in */
	bool is_head;
	uint32_t member, sibling, exit; /* lists, or NO_BLOCK */
	float in, freq, times;
	float insns; /* of a header: instructions in the loop for each call */
};
/* In mode cover: execution of block from implies that of block to. */
struct proof {
	uint32_t from, to;
};
struct flow {
	const struct cfg *g;
	const struct returns *returns;
	const struct prior_counts *prior; /* an earlier profile; NULL: frequencies are estimated */
	uint32_t first;
	VEC(struct flow_block) block;
	VEC(struct edge) edge;	     /* EDGE_IN first, then by block, in the order of blocks */
	VEC(struct loop_block) loop; /* by block */
	VEC(uint32_t) order;	     /* reachable blocks in reverse postorder */
	VEC(uint32_t) work;	     /* scratch */
	VEC(struct loop_node) node;  /* scratch */
	VEC(struct proof) proof;     /* set by flow_cover() */
	float insns;		     /* estimated instructions for each call of the function */
	bool has_taken;		     /* an inner block's address is taken */
	bool by_outside;	     /* too many table edges: all go to and come from outside */
};

/* Marks the blocks that other functions enter.  Called once, before flow_edges(). */
void cfg_entered(struct cfg *g);
/* The blocks and edges of function f, with frequencies. */
void flow_edges(struct flow *w, uint32_t f);
/* The header of the innermost loop that block b is in, or NO_BLOCK; numbered from 0 here. */
uint32_t loop_of(const struct flow *w, uint32_t b);
bool in_loop(const struct flow *w, uint32_t h, uint32_t b); /* is b in the loop of head h? */
/*
 * Estimates how many instructions are executed between two executions of the edge from -> to,
 * which is executed freq times for each call; from == to: between two executions of that block.
 */
float flow_apart(const struct flow *w, uint32_t from, uint32_t to, float freq);
void flow_free(struct flow *w);

/* Estimate the frequencies of the blocks and edges of w */
void flow_weights(struct flow *w);

/*
 * loops.c; blocks are numbered from 0.  May control that leaves the function at the end of block b
 * come back behind it, although there is no edge?
 */
bool flow_comes_back(const struct flow *w, uint32_t b);

void flow_loops(struct flow *w); /* fills in loop and order */

/* Turns probabilities in edge.freq (of EDGE_IN: frequencies) into frequencies of blocks. */
void flow_spread(struct flow *w);

#endif
