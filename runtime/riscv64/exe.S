/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exe.S - the entry point of an instrumented program
 *
 * a0 (what a dynamic linker wants called at the end), all other registers that C changes, and the
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
	.cfi_undefined ra
	addi	sp, sp, -128
	.cfi_adjust_cfa_offset 128
	sd	a0, 0(sp)
	sd	a1, 8(sp)
	sd	a2, 16(sp)
	sd	a3, 24(sp)
	sd	a4, 32(sp)
	sd	a5, 40(sp)
	sd	a6, 48(sp)
	sd	a7, 56(sp)
	sd	t0, 64(sp)
	sd	t1, 72(sp)
	sd	t2, 80(sp)
	sd	t3, 88(sp)
	sd	t4, 96(sp)
	sd	t5, 104(sp)
	sd	t6, 112(sp)
	sd	ra, 120(sp)
	addi	a0, sp, 128
	call	__ldx_main
	ld	a0, 0(sp)
	ld	a1, 8(sp)
	ld	a2, 16(sp)
	ld	a3, 24(sp)
	ld	a4, 32(sp)
	ld	a5, 40(sp)
	ld	a6, 48(sp)
	ld	a7, 56(sp)
	ld	t0, 64(sp)
	ld	t1, 72(sp)
	ld	t2, 80(sp)
	ld	t3, 88(sp)
	ld	t4, 96(sp)
	ld	t5, 104(sp)
	ld	t6, 112(sp)
	ld	ra, 120(sp)
	addi	sp, sp, 128
	.cfi_adjust_cfa_offset -128
	tail	__ldx_entry
	.cfi_endproc
	.size	__ldx_start, .-__ldx_start
	.section .note.GNU-stack, "", @progbits
