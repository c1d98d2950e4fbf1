/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - what calls read and change, and whether they return (calls.c, noreturn.c, chain.c)
 */
#ifndef LDX_CFG_CALLS_H
#define LDX_CFG_CALLS_H

#include "cfg/cfg.h"

/* May the dynamic linker bind references to s to a definition in another object? */
bool is_preemptible(const struct symbol *s);

/* May unknown code call f, by its address or from outside by its name?  After cfg_liveness(). */
bool called_from_anywhere(const struct cfg *g, const struct func *f);

/*
 * Does block bl end in a call of a function that never returns: a library function, by
 * the standards, or after find_noreturn() one of the object?
 */
bool never_returns(const struct cfg *g, const struct block *bl);

void find_noreturn(struct cfg *g);

/* May control fall into f, but from behind a call that never returns? */
bool is_fallen_into(const struct cfg *g, const struct func *f);

/*
 * The registers that the call, or the jump out of the function, at the end of block bl may
 * read and change, by the psABI or by the code of the functions that it leads to.
 *
 * hazard: register kept over a call.
 */
struct call_use {
	regset reads, changes;
};

struct call_use call_use(const struct cfg *g, const struct block *bl);

/* Finds the functions that may be given a static chain.  first: of find_preds(). */
void chain_find(struct cfg *g, const uint32_t *first);

/* The static chain, if a call or jump to block b, or (NO_BLOCK) to any, may pass one. */
regset chain_passed(const struct cfg *g, uint32_t b);

#endif
