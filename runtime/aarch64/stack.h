/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.h - a call on another stack
 */
#ifndef LDX_RUNTIME_STACK_H
#define LDX_RUNTIME_STACK_H

/* Call f with this stack: that of a new thread may be small. */
void call_with(void (*f)(void), char *stack_end);
__asm__(".pushsection .text\n"
	".type call_with, %function\n"
	"call_with:\n\t"
	".cfi_startproc\n\t"
	"stp x29, x30, [sp, #-16]!\n\t"
	".cfi_adjust_cfa_offset 16\n\t"
	".cfi_rel_offset x29, 0\n\t"
	".cfi_rel_offset x30, 8\n\t"
	"mov x29, sp\n\t"
	".cfi_def_cfa_register x29\n\t"
	"mov sp, x1\n\t"
	"blr x0\n\t"
	"mov sp, x29\n\t"
	".cfi_def_cfa_register sp\n\t"
	"ldp x29, x30, [sp], #16\n\t"
	".cfi_adjust_cfa_offset -16\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size call_with, .-call_with\n"
	".popsection");

#endif
