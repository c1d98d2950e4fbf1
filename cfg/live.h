/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - what liveness knows of blocks and functions before it begins: live_facts.c */
#ifndef LDX_CFG_LIVE_H
#define LDX_CFG_LIVE_H

#include "cfg/cfg_priv.h"

/* What a block makes alive, and what it kills: live before = gen | (live behind & ~kill). */
struct effect {
	regset gen, kill;
};

/* Function func looks at what is live in front of a block of another one. */
struct watch {
	uint32_t block, func;
};

/* What is known of a function before, beside what its blocks say. */
enum trait {
	TRAIT_OPEN = 1,		/* a block of it is open: it returns for indirect calls */
	TRAIT_LEAVES = 2,	/* it calls or jumps to an address */
	TRAIT_ODD = 4,		/* what looks like its return may be a jump */
	TRAIT_RETURNS = 8,	/* it may return */
};

struct facts {
	struct effect *effect;	/* by block */
	uint8_t *traits;	/* by function: enum trait */
	uint32_t *first;	/* by block, CSR: who looks at it */
	struct watch *watch;
	bool unsure;		/* control runs into bytes that are no known instruction */
};

/*
 * Sets elsewhere, ends and open of all blocks as well, and begins ret_live of all functions.
 * shared: global symbols may turn out to be others at run time.
 */
void live_facts(struct cfg *g, bool shared, struct facts *facts);
void live_facts_free(struct facts *facts);

/* What an exception leaves in the registers for who catches it. */
static inline regset kept_by_unwinding(const struct target *t)
{
	return t->entry_live & ~t->call_clobbers;
}

/* Is what stands behind block bl code that is not known? */
static inline bool is_unknown_behind(const struct cfg *g, const struct block *bl)
{
	return block_continues(bl) && bl->fall == NO_BLOCK &&
	       insn_end(&g->insn.v[bl->insn + bl->ninsn - 1]) <
		       g->text.v[g->func.v[bl->func].text].sec->size;
}

#endif
