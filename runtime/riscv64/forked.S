/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forked.S - __ldx_forked: called by inserted code behind a fork
 *
 * For a child that uses its parent's counters; it has no effect elsewhere.  It changes no
 * register but ra.  The C code uses no floating-point register.
 */
	/* Unwinders find every register: this may be called anywhere. */
	.macro save reg, at
	sd	\reg, \at(sp)
	.cfi_rel_offset \reg, \at
	.endm

	.text
	.globl	__ldx_forked
	.hidden	__ldx_forked, __ldx_noticed
	.type	__ldx_forked, @function
__ldx_forked:
	.cfi_startproc
	addi	sp, sp, -128
	.cfi_adjust_cfa_offset 128
	save	ra, 0
	save	t0, 8
	save	t1, 16
	save	t2, 24
	save	a0, 32
	save	a1, 40
	save	a2, 48
	save	a3, 56
	save	a4, 64
	save	a5, 72
	save	a6, 80
	save	a7, 88
	save	t3, 96
	save	t4, 104
	save	t5, 112
	save	t6, 120
	call	__ldx_noticed
	ld	ra, 0(sp)
	ld	t0, 8(sp)
	ld	t1, 16(sp)
	ld	t2, 24(sp)
	ld	a0, 32(sp)
	ld	a1, 40(sp)
	ld	a2, 48(sp)
	ld	a3, 56(sp)
	ld	a4, 64(sp)
	ld	a5, 72(sp)
	ld	a6, 80(sp)
	ld	a7, 88(sp)
	ld	t3, 96(sp)
	ld	t4, 104(sp)
	ld	t5, 112(sp)
	ld	t6, 120(sp)
	addi	sp, sp, 128
	.cfi_adjust_cfa_offset -128
	ret
	.cfi_endproc
	.size	__ldx_forked, .-__ldx_forked
	.section .note.GNU-stack, "", @progbits
