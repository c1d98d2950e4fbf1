/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forked.S - __ldx_forked: called by inserted code behind a fork
 *
 * For a child that uses its parent's counters; it has no effect elsewhere.  It changes no
 * register but x30, and no flag.  The C code uses no vector register.
 */
	/* Unwinders find every register: this may be called anywhere. */
	.macro save a, b, at
	stp	x\a, x\b, [sp, #\at]
	.cfi_rel_offset x\a, \at
	.cfi_rel_offset x\b, \at + 8
	.endm

	.text
	.globl	__ldx_forked
	.hidden	__ldx_forked, __ldx_noticed
	.type	__ldx_forked, @function
__ldx_forked:
	.cfi_startproc
	hint	#34 /* bti c */
	sub	sp, sp, #176
	.cfi_adjust_cfa_offset 176
	save	0, 1, 0
	save	2, 3, 16
	save	4, 5, 32
	save	6, 7, 48
	save	8, 9, 64
	save	10, 11, 80
	save	12, 13, 96
	save	14, 15, 112
	save	16, 17, 128
	save	18, 30, 144
	mrs	x0, nzcv
	str	x0, [sp, #160]
	bl	__ldx_noticed
	ldr	x0, [sp, #160]
	msr	nzcv, x0
	ldp	x18, x30, [sp, #144]
	ldp	x16, x17, [sp, #128]
	ldp	x14, x15, [sp, #112]
	ldp	x12, x13, [sp, #96]
	ldp	x10, x11, [sp, #80]
	ldp	x8, x9, [sp, #64]
	ldp	x6, x7, [sp, #48]
	ldp	x4, x5, [sp, #32]
	ldp	x2, x3, [sp, #16]
	ldp	x0, x1, [sp]
	add	sp, sp, #176
	.cfi_adjust_cfa_offset -176
	ret
	.cfi_endproc
	.size	__ldx_forked, .-__ldx_forked
	.section .note.GNU-stack, "", @progbits
