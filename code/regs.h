/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regs.h - registers for a sequence to change: dead ones, or others that are kept on the stack
 */
#ifndef LDX_CODE_REGS_H
#define LDX_CODE_REGS_H

#include "targets/target.h"

/* The lowest register of a set, which is not empty. */
static inline unsigned lowest_reg(regset regs)
{
	return (unsigned)__builtin_ctzll(regs);
}

/* The flags that code may change where they are dead. */
static inline regset target_flags(const struct target *t)
{
	return t->call_clobbers & REGSET_FLAGS;
}

/* n general registers, none of taken; dead ones as long as there are any. */
regset pick_regs(const struct target *t, unsigned n, regset dead, regset taken);

/* Push all of a set, and pop them again. */
void push_regs(const struct target *t, struct code *c, regset regs);
void pop_regs(const struct target *t, struct code *c, regset regs);

/*
 * To below what a leaf function may keep under its stack pointer, and back.
 *
 * hazard: red zone.  A leaf function has 128 bytes of data below its stack pointer:
 * whatever pushes steps over them first.
 */
void leave_red_zone(const struct target *t, struct code *c);
void return_to_red_zone(const struct target *t, struct code *c);

/* Push the registers of a set below the red zone, and pop them again; nothing for none. */
void keep_regs(const struct target *t, struct code *c, regset regs);
void restore_regs(const struct target *t, struct code *c, regset regs);

#endif
