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

	/* Registers are behind the room of o32's callees.  Unwinders find them: this may be called anywhere. */
	.macro save reg, n
	STORE	$\reg, 16 + W * (\n)($sp)
	.cfi_rel_offset \reg, 16 + W * (\n)
	.endm
	.macro restore reg, n
	LOAD	$\reg, 16 + W * (\n)($sp)
	.endm
	.macro	all what
	.irp	reg, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	\what	\reg, \reg - 1
	.endr
	\what	24, 15
	\what	25, 16
	\what	28, 17
	\what	31, 18
	.endm

	.text
	.globl	__ldx_forked
	.hidden	__ldx_forked, __ldx_noticed
	.type	__ldx_forked, @function
__ldx_forked:
	.cfi_startproc
	ADDI	$sp, $sp, -16 - 24 * W
	.cfi_adjust_cfa_offset 16 + 24 * W
	all	save
	mfhi	$8
	mflo	$9
	STORE	$8, 16 + 19 * W($sp)
	STORE	$9, 16 + 20 * W($sp)
	address	$25, __ldx_noticed
	jalr	$25
	nop
	LOAD	$8, 16 + 19 * W($sp)
	LOAD	$9, 16 + 20 * W($sp)
	mthi	$8
	mtlo	$9
	all	restore
	jr	$31
	ADDI	$sp, $sp, 16 + 24 * W
	.cfi_endproc
	.size	__ldx_forked, .-__ldx_forked
	.section .note.GNU-stack, "", @progbits
