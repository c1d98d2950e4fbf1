/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forked.S - __ldx_forked: called by inserted code behind a fork, or in a new thread
 *
 * For a child or a thread that uses another's counters; it has no effect elsewhere.  It changes
 * no register, no flag, and of the stack only memory below its return address: where the caller
 * may use a red zone, inserted code moves the stack pointer below it for the call (by lea, which
 * keeps the flags).
 */
#include <cet.h>

	/* Unwinders find every register: this may be called anywhere. */
	.macro save reg
	push	\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \reg, 0
	.endm

	.macro restore reg
	pop	\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore \reg
	.endm

	.text
	.globl	__ldx_forked
	.hidden	__ldx_forked, __ldx_owner, __ldx_threads, __ldx_noticed
	.type	__ldx_forked, @function
__ldx_forked:
	.cfi_startproc
	_CET_ENDBR
	pushfq
	.cfi_adjust_cfa_offset 8
	cmpl	$0, __ldx_owner(%rip)
	je	1f
	cmpl	$0, __ldx_threads(%rip)
	jne	1f
	.cfi_remember_state
	popfq
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_restore_state
1:	save	%rax
	save	%rcx
	save	%rdx
	save	%rsi
	save	%rdi
	save	%rbp
	save	%r8
	save	%r9
	save	%r10
	save	%r11
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	and	$-16, %rsp
	cld
	call	__ldx_noticed
	mov	%rbp, %rsp
	.cfi_def_cfa_register %rsp
	restore	%r11
	restore	%r10
	restore	%r9
	restore	%r8
	restore	%rbp
	restore	%rdi
	restore	%rsi
	restore	%rdx
	restore	%rcx
	restore	%rax
	popfq
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	__ldx_forked, .-__ldx_forked
	.section .note.GNU-stack, "", @progbits
