/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exe.S - the entry point of an instrumented program
 *
 * $v0 (what a dynamic linker wants called at the end) and the initial stack are passed on.
 * __ldx_entry is the program's own entry point.
 */
#include "address.inc"

	.abicalls
	.set	noreorder
	.cfi_sections .debug_frame
	.text
	.globl	__ldx_start
	.hidden	__ldx_start, __ldx_entry, __ldx_main, __ldx_info, __ldx_name
	.balign	16
	.8byte	0
	/* struct ldx_entry of runtime/abi.h; a distance has 32 bits in a field of 64 */
	.macro	distance symbol
#ifdef __MIPSEB__
	.word	0, \symbol - . + 4
#else
	.word	\symbol - ., 0
#endif
	.endm
	.8byte	0x3130746e6578646c
	distance __ldx_info
	distance __ldx_name
	.type	__ldx_start, @function
__ldx_start:
	.cfi_startproc
	.cfi_undefined 31
	move	$a0, $sp
	ADDI	$sp, $sp, -32
	.cfi_adjust_cfa_offset 32
	STORE	$v0, 16($sp)
	address	$t9, __ldx_main
	jalr	$t9
	nop
	LOAD	$v0, 16($sp)
	ADDI	$sp, $sp, 32
	.cfi_adjust_cfa_offset -32
	address	$t9, __ldx_entry
	jr	$t9
	move	$ra, $zero
	.cfi_endproc
	.size	__ldx_start, .-__ldx_start
	.section .note.GNU-stack, "", @progbits
