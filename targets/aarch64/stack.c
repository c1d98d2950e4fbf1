/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.c - how an instruction uses the stack pointer
 *
 * AAPCS64, 6.4.5: the return address is in x30; nothing that a caller needs is at its callee's
 * [sp].
 */
#include "targets/aarch64/aarch64.h"

/* add and sub of a constant, between SP and itself or the frame pointer; mov sp,x29 is one. */
static bool is_frame_add(uint32_t w)
{
	unsigned from = a64_bits(w, 5, 5);

	return (w & 0x1f800000) == 0x11000000 && a64_bits(w, 0, 5) == A64_SP &&
		(from == A64_SP || from == A64_FP);
}

/* ldr, str, ldp and stp with write-back; sub sp,sp,xN for an array; and sp,xN,#-16. */
static bool is_frame_op(uint32_t w)
{
	return is_frame_add(w) || (w & 0x3a800000) == 0x28800000 ||
		(w & 0x3b200400) == 0x38000400 || (w & 0xffe0001f) == 0xcb20001f ||
		(w & 0xff80001f) == 0x9200001f;
}

enum stack_use a64_stack_use(const uint8_t *p, const struct insn *in)
{
	if (!(insn_effects(in)->clobbers & REG_BIT(A64_SP)))
		return STACK_UNUSED;
	return is_frame_op(get_u32(p)) ? STACK_FRAME : STACK_ODD;
}
