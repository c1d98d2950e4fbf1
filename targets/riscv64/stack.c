/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.c - how an instruction uses the stack pointer
 *
 * The return address is in ra or t0; nothing that a caller needs is at its callee's stack pointer.
 */
#include "targets/riscv64/riscv64.h"

/*
 * addi of a constant, to sp itself or the frame pointer; mv; add and sub of a register, for big
 * frames and arrays; andi, which aligns it.
 */
static bool is_frame_op(uint32_t w)
{
	unsigned from = rv_rs1(w), by = rv_rs2(w);

	if (rv_op(w) == RV_OP_IMM && (rv_f3(w) == 0 || rv_f3(w) == 7))
		return from == RV_SP || from == RV_S0;
	if (rv_op(w) != RV_OP || (w & 0xbe007000))
		return false;
	return from == RV_SP || (from == RV_ZERO && by == RV_S0);
}

enum stack_use rv_stack_use(const uint8_t *p, const struct insn *in)
{
	if (!(insn_effects(in)->clobbers & REG_BIT(RV_SP)))
		return STACK_UNUSED;
	return is_frame_op(rv_word(p)) ? STACK_FRAME : STACK_ODD;
}
