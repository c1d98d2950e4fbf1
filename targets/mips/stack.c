/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.c - how an instruction uses the stack pointer
 *
 * The return address is in $ra.  The 16 bytes at an entry's stack pointer are the callee's.
 */
#include "targets/mips/mips.h"

/* addiu $sp,$sp,n; move $sp,$fp, as addu or or; addu and subu of a register to $sp itself. */
static bool is_frame_op(uint32_t w)
{
	bool sum = (w & 0xfc0007ff) == 0x21 || (w & 0xfc0007ff) == 0x25 || (w & 0xfc0007ff) == 0x23;
	unsigned from = mips_bits(w, 21, 5), by = mips_bits(w, 16, 5);

	if ((w & 0xffff0000) == 0x27bd0000)
		return true;
	return sum && mips_bits(w, 11, 5) == MIPS_SP &&
		(from == MIPS_SP || (from == MIPS_FP && by == MIPS_ZERO));
}

enum stack_use mips_stack_use(const uint8_t *p, const struct insn *in)
{
	if (!(insn_effects(in)->clobbers & REG_BIT(MIPS_SP)))
		return STACK_UNUSED;
	return is_frame_op(mips_word(p + in->len - 4)) ? STACK_FRAME : STACK_ODD;
}
