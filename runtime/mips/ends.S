/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends.S - called when a program leaves main
 *
 * A part of _fini, which crti.o begins and crtn.o ends; crti.o saves $gp at 16($sp).
 */
	.file	"ends.S"
#include "address.inc"

	.abicalls
	.hidden	__ldx_ended
	.set	noreorder
	.section .fini, "ax", @progbits
	address	$t9, __ldx_ended
	jalr	$t9
	nop
	lw	$gp, 16($sp)
	.section .note.GNU-stack, "", @progbits
