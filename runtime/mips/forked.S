/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forked.S - __ldx_forked: called by inserted code behind a fork
 *
 * For a child that uses its parent's counters; it has no effect elsewhere.  It changes no
 * register but $ra.  The C code uses no floating-point register.
 */
#include "address.inc"

	.abicalls
	.set	noreorder
	.cfi_sections .debug_frame
	.set	noat

	/* Unwinders find every register: this may be called anywhere. */
	.macro save reg, at
	sw	$\reg, \at($sp)
	.cfi_rel_offset \reg, \at
	.endm

	.text
	.globl	__ldx_forked
	.hidden	__ldx_forked, __ldx_noticed
	.type	__ldx_forked, @function
__ldx_forked:
	.cfi_startproc
	addiu	$sp, $sp, -112
	.cfi_adjust_cfa_offset 112
	save	1, 16
	save	2, 20
	save	3, 24
	save	4, 28
	save	5, 32
	save	6, 36
	save	7, 40
	save	8, 44
	save	9, 48
	save	10, 52
	save	11, 56
	save	12, 60
	save	13, 64
	save	14, 68
	save	15, 72
	save	24, 76
	save	25, 80
	save	28, 84
	save	31, 88
	mfhi	$8
	mflo	$9
	sw	$8, 92($sp)
	sw	$9, 96($sp)
	address	$25, __ldx_noticed
	jalr	$25
	nop
	lw	$8, 92($sp)
	lw	$9, 96($sp)
	mthi	$8
	mtlo	$9
	.irp	reg, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	lw	$\reg, 12 + 4 * \reg($sp)
	.endr
	lw	$24, 76($sp)
	lw	$25, 80($sp)
	lw	$28, 84($sp)
	lw	$31, 88($sp)
	jr	$31
	addiu	$sp, $sp, 112
	.cfi_endproc
	.size	__ldx_forked, .-__ldx_forked
	.section .note.GNU-stack, "", @progbits
