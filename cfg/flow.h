/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow.h - the flow of control in one function: its edges, its loops, and how frequent each may be
 */
#ifndef LDX_CFG_FLOW_H
#define LDX_CFG_FLOW_H

#include "cfg/program.h"

enum edge_kind {
	EDGE_FALL,
	EDGE_TAKEN,
	EDGE_TABLE,
	EDGE_IN,	/* from outside: calls, returns of calls that need not return once, pads */
	EDGE_OUT,	/* to outside */
};
enum count_state {
	COUNT_DERIVED,	/* follows from others: what comes to a block leaves it */
	COUNT_COUNTED,
	COUNT_UNKNOWN,	/* cannot be told from other edges that cannot be counted */
};
struct edge {
	uint32_t from, to;	/* blocks; NO_BLOCK: outside */
	uint8_t kind;		/* enum edge_kind */
	uint8_t state;		/* enum count_state; set by flow_choose() */
	bool critical;		/* from has other edges, and so has to: no block's count is its */
	bool by_next;		/* derived from the edges that leave to; set by flow_choose() */
	float freq;		/* guessed: how often for each call of the function */
	float cost;		/* of counting it once; < 0: impossible.  Set by the user */
};
/* Blocks are numbered from first, the function's first one. */
struct flow_block {
	uint32_t edge, nedge;	/* the edges that leave it */
	uint8_t state;		/* enum count_state; never COUNT_UNKNOWN */
	bool by_next;		/* as of edges */
	bool late;		/* flow_cover(): it is chosen as executed to behind what may fault */
	float freq, cost;	/* as of edges; a block can always be counted */
};
/* A block as its loops see it; blocks are numbered from 0 in their function. */
struct loop_block {
	uint32_t head;		/* of the loop around it, itself not counted; or NO_BLOCK */
	uint32_t depth;		/* of loops it is in */
	bool is_head, seen;
	uint32_t path;		/* 1 + its place on the path that is walked; 0: none */
	uint32_t member, sibling, exit;	/* lists, or NO_BLOCK */
	float in, freq, times;
	float insns;		/* of a head: executed in the loop for each call of the function */
};
/* In mode cover: when block from was executed, so was block to. */
struct proof {
	uint32_t from, to;
};
struct flow {
	const struct cfg *g;
	const struct returns *returns;
	const struct given *given;	/* or NULL: frequencies are guessed */
	uint32_t first;
	VEC(struct flow_block) block;
	VEC(struct edge) edge;	/* EDGE_IN first, then by block, in the order of blocks */
	VEC(struct loop_block) loop;	/* by block */
	VEC(uint32_t) order;	/* blocks that control can come to, in reverse postorder */
	VEC(uint32_t) work;	/* scratch */
	VEC(struct proof) proof;	/* set by flow_cover() */
	float insns;		/* guessed: executed for each call of the function */
	bool has_taken;		/* a block behind the first begins at a label whose address is taken */
	bool by_outside;	/* too many edges by tables: all of them are to and from outside */
};

/* Marks the blocks that control enters from other functions.  Once, before flow_edges(). */
void cfg_entered(struct cfg *g);
/* The blocks and edges of function f, with frequencies. */
void flow_edges(struct flow *w, uint32_t f);
/* The head of the innermost loop that block b is in, or NO_BLOCK; numbered from 0 here. */
uint32_t loop_of(const struct flow *w, uint32_t b);
/*
 * Guessed: how many instructions are executed from one time to the next that control goes from
 * block from to block to, which it does freq times for each call; the same block twice: is in it.
 */
float flow_apart(const struct flow *w, uint32_t from, uint32_t to, float freq);
void flow_free(struct flow *w);

#endif
