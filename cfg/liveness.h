/* SPDX-License-Identifier: Apache-2.0 */
/* liveness.h - which registers are live, and which of the others inserted code may change */
#ifndef LDX_CFG_LIVENESS_H
#define LDX_CFG_LIVENESS_H

#include "cfg/cfg.h"

/*
 * Fill in live_in and live_out of all blocks.  In opaque functions everything is live.
 * shared: other objects may preempt global symbols at run time.
 */
void cfg_liveness(struct cfg *g, bool shared);
/*
 * By function: call-clobbered registers that its callers rely on although no C function could know
 * of it, because they are kept over the call (-fipa-ra), or pass and return what the psABI does
 * not.  It changes what cfg_liveness() has found: that is to be found again.
 */
regset *cfg_kept(struct cfg *g, bool shared);
/* The registers live before an instruction; live: behind it; of a call, also where it leads. */
regset insn_live(const struct cfg *g, const struct insn *in, regset live);
/*
 * The registers that code inserted in f may change if live is live: dead flags, and dead registers
 * that f changes itself or that no calling convention passes.
 */
regset cfg_scratch(const struct cfg *g, const struct func *f, regset live);
/* Is it proved that f preserves no registers that only other calling conventions preserve? */
bool cfg_is_psabi(const struct cfg *g, const struct func *f);

#endif
