/* SPDX-License-Identifier: Apache-2.0 */
/*
 * micro.h - a CPU's micro-operations: the steps that inserted code is made of
 *
 * Each appends to the code the instructions for one step, one where the CPU has it.  code/ makes
 * sequences of them, and knows no CPU.  A step changes what its name says and, of what is
 * in dead or temps, any register or flag; one without dead may change the flags that a call may.
 * A vector register is told by its number.  What moves the stack pointer tells the code so.
 */
#ifndef LDX_TARGETS_MICRO_H
#define LDX_TARGETS_MICRO_H

#include "targets/code.h"
#include "targets/insn.h"

struct micro {
	/* facts */
	regset count_flags; /* flags that increment() always changes; none on a CPU without flags */
	regset flag_holders;  /* registers that save_flags() can put flags in */
	regset base_regs;     /* registers that thread_pointer() can load */
	unsigned memory_regs; /* how many registers to change (temps) a step on a counter takes */
	int32_t red_zone;     /* bytes below the stack pointer that a leaf function may use */

	/* Registers.  set: to 0, or of vectors 0 or -1.  shift: right, keeping the sign. */
	void (*set)(struct code *c, unsigned reg, int32_t n, regset dead);
	void (*move)(struct code *c, unsigned to, unsigned from); /* changes no flags */
	void (*add)(struct code *c, unsigned reg, int32_t n, regset dead);
	void (*subtract)(struct code *c, unsigned reg, unsigned by);
	void (*shift)(struct code *c, unsigned reg, unsigned by);
	void (*push)(struct code *c, unsigned reg); /* changes no flags */
	void (*pop)(struct code *c, unsigned reg);  /* changes no flags */

	/*
	 * The counter off bytes behind the first: += 1; += reg; -= reg.  Its first byte: = 1, which
	 * changes no flags.  temps, and dead of increment(), have memory_regs registers at least,
	 * and not reg.
	 */
	void (*increment)(struct code *c, const struct counter_addressing *to, int64_t off,
		regset dead);
	void (*add_to)(struct code *c, const struct counter_addressing *to, int64_t off,
		unsigned reg, regset temps);
	void (*take_from)(struct code *c, const struct counter_addressing *to, int64_t off,
		unsigned reg, regset temps);
	void (*set_byte)(struct code *c, const struct counter_addressing *to, int64_t off,
		regset temps);

	/*
	 * To reg, one of flag_holders, and back: the flags that increment() changes and that are
	 * not dead.  In between, with none of them in its dead, it changes no other.
	 */
	void (*save_flags)(struct code *c, unsigned reg, regset dead);
	void (*restore_flags)(struct code *c, unsigned reg, regset dead);

	/*
	 * Control.  A call of symbol sym changes what that changes, and a register for the return
	 * address is kept on the stack around it.  A jump leads over the n bytes behind it.  A
	 * landing is what an indirect target must begin with.
	 */
	void (*call)(struct code *c, uint32_t sym);
	void (*jump)(struct code *c, uint32_t n);
	void (*landing)(struct code *c);

	/*
	 * Branches forward: unless the system call just made has returned 0; when reg is what the
	 * counter off bytes behind the first holds.  land() makes the one that was returned lead to
	 * the end of the code.
	 */
	uint32_t (*branch_unless_zero)(struct code *c, regset dead);
	uint32_t (*branch_if_equal)(struct code *c, unsigned reg,
		const struct counter_addressing *to, int64_t off, regset temps);
	void (*land)(struct code *c, uint32_t branch);

	/* The thread pointer to reg, one of base_regs. */
	void (*thread_pointer)(struct code *c, unsigned reg);

	/*
	 * Overwrite reg, changing no flags, or those flags of dead that can be, with registers of
	 * dead as well, by what a random number tells.  No memory is touched.
	 */
	void (*scramble)(struct code *c, unsigned reg, uint32_t random);
	void (*scramble_flags)(struct code *c, uint32_t random, regset dead);
};

#endif
