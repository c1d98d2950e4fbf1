/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.h - a call on another stack
 */
#ifndef LDX_RUNTIME_STACK_H
#define LDX_RUNTIME_STACK_H

/* Call f with this stack: that of a new thread may be small. */
void call_with(void (*f)(void), char *stack_end);
__asm__(".pushsection .text\n"
	".type call_with, @function\n"
	"call_with:\n\t"
	".cfi_startproc\n\t"
	"addi sp, sp, -16\n\t"
	".cfi_adjust_cfa_offset 16\n\t"
	"sd ra, 8(sp)\n\t"
	".cfi_rel_offset ra, 8\n\t"
	"sd s0, 0(sp)\n\t"
	".cfi_rel_offset s0, 0\n\t"
	"mv s0, sp\n\t"
	".cfi_def_cfa_register s0\n\t"
	"mv sp, a1\n\t"
	"jalr a0\n\t"
	"mv sp, s0\n\t"
	".cfi_def_cfa_register sp\n\t"
	"ld s0, 0(sp)\n\t"
	"ld ra, 8(sp)\n\t"
	"addi sp, sp, 16\n\t"
	".cfi_adjust_cfa_offset -16\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size call_with, .-call_with\n"
	".popsection");

#endif
