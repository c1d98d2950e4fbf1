/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.c - how an instruction uses the stack pointer
 *
 * The return address is in $ra.  In o32 the 16 bytes at an entry's stack pointer are the callee's.
 */
#include "targets/mips/mips.h"

enum {
	ADDIU_SP = MIPS_WORD == 8 ? 0x67bd0000 : 0x27bd0000,
	ADDU = MIPS_WORD == 8 ? 0x2d : 0x21,
	OR = 0x25,
	SUBU = MIPS_WORD == 8 ? 0x2f : 0x23
};

/*
 * (d)addiu $sp,$sp,n; move $sp,$fp, as addu or or; addu and subu of a register to $sp itself.
 */
static bool is_frame_op(uint32_t w)
{
	uint32_t sums = w & 0xfc0007ff;
	bool sum = sums == ADDU || sums == OR || sums == SUBU;
	unsigned from = mips_bits(w, 21, 5), by = mips_bits(w, 16, 5);

	if ((w & 0xffff0000) == ADDIU_SP)
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
