/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forked.S - __ldx_forked: what the rewriter calls behind a fork, or in a new thread
 *
 * To be called in a child or a thread that uses another's counters, and harmless
 * anywhere else.  It changes no register
 * and no flag, and nothing on the stack but what lies below its return address:
 * where the caller may use a red zone, the rewriter moves the stack pointer
 * below it for the call (lea, which keeps the flags).
 */
#include <cet.h>

	.text
	.globl	__ldx_forked
	.hidden	__ldx_forked, __ldx_owner, __ldx_threads, __ldx_noticed
	.type	__ldx_forked, @function
__ldx_forked:
	_CET_ENDBR
	pushfq
	cmpl	$0, __ldx_owner(%rip)
	je	1f
	cmpl	$0, __ldx_threads(%rip)
	jne	1f
	popfq
	ret
1:	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%rbp
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	mov	%rsp, %rbp
	and	$-16, %rsp
	cld
	call	__ldx_noticed
	mov	%rbp, %rsp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rbp
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	popfq
	ret
	.size	__ldx_forked, .-__ldx_forked
	.section .note.GNU-stack, "", @progbits
