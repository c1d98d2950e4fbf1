/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exe.S - the entry point of an instrumented program
 *
 * x0 (what a dynamic linker wants called at the end), all other registers that C changes, and the
 * initial stack are passed on.  __ldx_entry is the program's own entry point.
 */
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
	.cfi_undefined x30
	hint	#34 /* bti c */
	stp	x0, x1, [sp, #-160]!
	.cfi_adjust_cfa_offset 160
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	stp	x18, x30, [sp, #144]
	add	x0, sp, #160
	bl	__ldx_main
	ldp	x18, x30, [sp, #144]
	ldp	x16, x17, [sp, #128]
	ldp	x14, x15, [sp, #112]
	ldp	x12, x13, [sp, #96]
	ldp	x10, x11, [sp, #80]
	ldp	x8, x9, [sp, #64]
	ldp	x6, x7, [sp, #48]
	ldp	x4, x5, [sp, #32]
	ldp	x2, x3, [sp, #16]
	ldp	x0, x1, [sp], #160
	.cfi_adjust_cfa_offset -160
	b	__ldx_entry
	.cfi_endproc
	.size	__ldx_start, .-__ldx_start
	.section .note.GNU-stack, "", @progbits
