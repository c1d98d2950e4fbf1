/* SPDX-License-Identifier: Apache-2.0 */
/* cfg_priv.h - shared by the files of cfg/ only */
#ifndef LDX_CFG_PRIV_H
#define LDX_CFG_PRIV_H

#include "cfg/cfg.h"

/* How a label is known: it decides who may lead there. */
enum label {
	LABEL_BRANCH,	/* code of the function itself, or an unwinder */
	LABEL_ENTRY,	/* a symbol, a call */
	LABEL_TAKEN,	/* its address: jumps and calls that are not followed */
};
void cfg_label(struct cfg *g, uint32_t sec, uint64_t off, enum label how);
void cfg_freeze(struct text *c, enum opaque why, uint64_t off);	/* the first reason stays */
void cfg_foreign(struct cfg *g, const struct object *o);
void cfg_opaque(struct func *f, enum opaque why, uint64_t off);
bool block_continues(const struct block *b);	/* control may fall out of its end */

#endif
