/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pads.h - landing pads in other sections than the calls that lead there
 */
#ifndef LDX_CFG_PADS_H
#define LDX_CFG_PADS_H

#include "cfg/cfg.h"

/* Exceptions in what begins at off of section sec lead to the pad, in another section. */
void pad_add(struct cfg *g, uint32_t sec, uint64_t off, uint32_t pad_sec, uint64_t pad);

/* When functions are known: whose pads these are.  Sorts them; each pair of functions is left once.
 */
void pads_resolve(struct cfg *g);

/* Those of function f: [first, the result). */
size_t pads_of(const struct cfg *g, uint32_t f, size_t *first);

#endif
