/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body.h - routines that are pasted, made for one place
 *
 * Where an argument is a constant, a routine's instructions take it as a number or as part of an
 * address, and those that only computed it are left out.  Registers of a routine may have other
 * names.  What is left accesses the same memory in the same order, and branches where it did, by
 * the same flags, which the same instructions set: see verify/step.c.
 */
#ifndef LDX_TARGETS_BODY_H
#define LDX_TARGETS_BODY_H

#include "reloc/claim.h"
#include "targets/insn.h"

/* What a body reads before it writes it; changes; names only implicitly, so that it must stay. */
struct body_uses {
	regset reads, changes, pinned;
};

#endif
