/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sequence.h - what is inserted, as sequences of a CPU's micro-operations
 *
 * How to count, to hold a counter in a register, to find a new thread or process: for every CPU
 * the same, out of targets/micro.h.  All append to the code.  dead holds the registers and flags
 * that may be changed.  Each appends what it claims as well (reloc/claim.h), where those are
 * wanted.
 */
#ifndef LDX_CODE_SEQUENCE_H
#define LDX_CODE_SEQUENCE_H

#include "targets/target.h"

/*
 * How a counter is incremented at a place: the kinds --ldx-stats counts.  Always by
 * one instruction, so that no signal handler comes between; the others save the
 * flags around it, in a free register or beside a saved one.  Held: a register counts;
 * stepped: one of the program's does, which it adds a constant to at this place only.
 */
enum count_kind { COUNT_DIRECT, COUNT_FLAGS, COUNT_SAVE, COUNT_HELD, COUNT_STEPPED, COUNT_KINDS };

/* The kind of code_count() for these dead ones. */
enum count_kind code_count_kind(const struct target *t, regset dead);

/*
 * Add 1 to the 64-bit counter off bytes behind the first.  Flags that are not dead are saved in a
 * register.  A register that this takes and that is not dead is kept in a dead one, or else on the
 * stack, beyond what the ABI lets a leaf function keep below its stack pointer.
 */
enum count_kind code_count(const struct target *t, struct code *c,
	const struct counter_addressing *to, int64_t off, regset dead);

/* Set the byte off bytes behind the first counter to 1. */
void code_mark(const struct target *t, struct code *c, const struct counter_addressing *to,
	int64_t off, regset dead);

/*
 * A counter that register reg holds, of hold_vectors too up to HOLD_FOLLOW.  HOLD_END and all
 * behind HOLD_FETCH need dead flags; beside the register, and the hold_unit of vectors, the code
 * changes only dead ones.  Each has a relocation that tells the counter: of type NONE where
 * memory is not touched, one byte further of HOLD_STEP.  HOLD_BEGIN makes a vector's unit as well,
 * and HOLD_END may take it for something else.
 */
void code_hold(const struct target *t, struct code *c, enum hold what,
	const struct counter_addressing *to, int64_t off, unsigned reg, unsigned by, regset dead);

/*
 * For the entry of a function: unless the first of this thread's counters holds its thread
 * pointer, call symbol hook, which preserves all registers.  Where the flags are not dead the
 * code is for any place, and calls always: the hook finds out.
 */
void code_thread_check(const struct target *t, struct code *c, const struct counter_addressing *to,
	uint32_t hook, regset dead);

/*
 * Call symbol hook when the system call just made returned 0.  A child's does, but so do
 * others: the hook, which preserves all registers, finds out.
 */
void code_fork_check(const struct target *t, struct code *c, uint32_t hook, regset dead);

/*
 * Overwrite all registers of dead, and those flags that can be without anything else, with what
 * a random number tells.  No memory is touched.  A relocation of type NONE against symbol mark,
 * with the length of this code as the addend, tells that it is inserted.  It may be none at all.
 */
void code_poison(const struct target *t, struct code *c, uint32_t mark, uint32_t random,
	regset dead);

#endif
