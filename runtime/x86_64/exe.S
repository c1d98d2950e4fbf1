/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exe.S - the entry point of an instrumented program
 *
 * Every register and the initial stack are passed on as the kernel or the
 * dynamic linker set them up.  __ldx_entry is the program's own entry point.
 */
#include <cet.h>

	.text
	.globl	__ldx_start
	.hidden	__ldx_start, __ldx_entry, __ldx_main, __ldx_info, __ldx_name
	.balign	16
	.quad	0
	/* struct ldx_entry of runtime/abi.h */
	.quad	0x3130746e6578646c
	.quad	__ldx_info - .
	.quad	__ldx_name - .
	.type	__ldx_start, @function
__ldx_start:
	.cfi_startproc
	.cfi_undefined %rip
	_CET_ENDBR
	pushfq
	push	%rax
	push	%rbx
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%rbp
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	lea	128(%rsp), %rdi
	mov	%rsp, %rbp
	and	$-16, %rsp
	cld
	call	__ldx_main
	mov	%rbp, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rbp
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rbx
	pop	%rax
	popfq
	jmp	__ldx_entry
	.cfi_endproc
	.size	__ldx_start, .-__ldx_start
	.section .note.GNU-stack, "", @progbits
