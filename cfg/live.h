/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - facts about blocks and functions that the liveness analysis begins with: live_facts.c */
#ifndef LDX_CFG_LIVE_H
#define LDX_CFG_LIVE_H

#include "cfg/blocks.h"

/* The registers in use are live; so are those in pass that are live where the function returns. */
struct live {
	regset use, pass;
};

/* The transfer function of a block: live-in = gen | (live-out & ~kill). */
struct effect {
	regset gen, kill;
};

/* Function func depends on the live-in of a block of another function. */
struct watch {
	uint32_t block, func;
};

/* Facts of a function as a whole. */
enum trait {
	TRAIT_OPEN = 1,	     /* indirect calls may lead to it, so it may return to these */
	TRAIT_LEAVES = 2,    /* it calls or jumps indirectly */
	TRAIT_ODD = 4,	     /* its return instruction may be a jump */
	TRAIT_RETURNS = 8,   /* it may return */
	TRAIT_COMPUTED = 16, /* computed calls may lead to any of its instructions */
};

struct facts {
	struct effect *effect; /* by block */
	uint8_t *traits;       /* by function: enum trait */
	uint32_t *first;       /* by block, CSR: its watches */
	struct watch *watch;
	regset read; /* by blocks that are open */
	bool unsure; /* control runs into bytes that do not decode */
};

/*
 * Also sets elsewhere, ends and open of all blocks, and initialises ret_live of all functions.
 * shared: other objects may preempt global symbols at run time.
 */
void live_facts(struct cfg *g, bool shared, struct facts *facts);
void live_facts_free(struct facts *facts);
/* The numbers of all functions, each behind those that it watches, if these do not watch it. */
uint32_t *live_order(const struct cfg *g, const struct facts *facts);
/* By function: its group, one of as many as there are parts; each is adjacent in the order. */
uint32_t *live_groups(const struct cfg *g, const uint32_t *order);

/* State what was found of all blocks, for the verifier: state_live.c.  live_in: by block. */
void state_liveness(const struct cfg *g, const struct live *live_in);

/*
 * Does f, which uses its stack, return elsewhere than to its caller, or access its return address?
 * depth.c; jumped_to: from other functions, at its start.  v is free for it to use.
 */
struct values;
bool returns_elsewhere(struct values *v, const struct func *f, bool jumped_to);

/* Does control fall from block bl into bytes that are not known code? */
static inline bool is_unknown_behind(const struct cfg *g, const struct block *bl)
{
	return block_continues(bl) && bl->fall == NO_BLOCK &&
		insn_end(&g->insn.v[bl->insn + bl->ninsn - 1]) <
		g->text.v[g->func.v[bl->func].text].sec->size;
}

/*
 * Does control go on through padding, to what is behind it?  The padding at the end of a function
 * is none of its blocks.
 */
static inline bool block_falls_into_gap(const struct cfg *g, const struct block *bl)
{
	return bl->fall != NO_BLOCK && bl->end != END_CALL && g->block.v[bl->fall].gap;
}

#endif
