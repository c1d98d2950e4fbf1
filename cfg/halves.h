/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halves.h - which high half of an address a low half belongs to, by data flow
 */
#ifndef LDX_CFG_HALVES_H
#define LDX_CFG_HALVES_H

#include "cfg/cfg.h"

/*
 * Completes the addend of each low half whose page is PAGE_SOUGHT: all definitions of its register
 * that reach it, through other registers and words of the stack frame too, must be high halves of
 * the same symbol with the same page, one of them of the same address; or else all high halves of
 * its function with that low half.  fatal_at() if that is not
 * so.  Data keep their addresses, so an unresolved half of a data address is left alone: PAGE_NONE.
 * States these pairs, and what the verifier needs to know of registers (g->stated).
 */
void halves_pair(struct cfg *g);

#endif
