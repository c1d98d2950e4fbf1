/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regs.h - temporary registers of a sequence: dead ones, or others saved on the stack
 */
#ifndef LDX_CODE_REGS_H
#define LDX_CODE_REGS_H

#include "targets/target.h"

/* The flags that inserted code may change if they are dead. */
static inline regset target_flags(const struct target *t)
{
	return t->abi.call_clobbers & REGSET_FLAGS;
}

/* n general registers, none of taken; dead ones first. */
regset pick_regs(const struct target *t, unsigned n, regset dead, regset taken);

/* Push all of a set, and pop them again. */
void push_regs(const struct target *t, struct code *c, regset regs);
void pop_regs(const struct target *t, struct code *c, regset regs);

/*
 * Move the stack pointer below the red zone, and back.
 *
 * hazard: red zone.  A leaf function has 128 bytes of data below its stack pointer:
 * code that pushes must skip them first.
 */
void leave_red_zone(const struct target *t, struct code *c);
void return_to_red_zone(const struct target *t, struct code *c);

/* Push the registers of a set below the red zone, and pop them again; no code for none. */
void keep_regs(const struct target *t, struct code *c, regset regs);
void restore_regs(const struct target *t, struct code *c, regset regs);

#endif
