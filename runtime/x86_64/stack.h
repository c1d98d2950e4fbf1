/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.h - a call on another stack
 */
#ifndef LDX_RUNTIME_STACK_H
#define LDX_RUNTIME_STACK_H

#define IN_ASSEMBLY __attribute__((unused))

/* Call f with this stack: that of a new thread may be small. */
__attribute__((naked, noinline)) static void call_with(IN_ASSEMBLY void (*f)(void),
	IN_ASSEMBLY char *stack_end)
{
	__asm__("push %rbp\n\t"
		".cfi_adjust_cfa_offset 8\n\t"
		".cfi_rel_offset %rbp, 0\n\t"
		"mov %rsp, %rbp\n\t"
		".cfi_def_cfa_register %rbp\n\t"
		"mov %rsi, %rsp\n\t"
		"call *%rdi\n\t"
		"leave\n\t"
		".cfi_def_cfa %rsp, 8\n\t"
		"ret");
}

#endif
