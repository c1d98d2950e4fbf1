/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends.S - called when a program leaves main
 *
 * A part of _fini, which crti.o begins and crtn.o ends; in o32 crti.o saves $gp at 16($sp), in n64
 * functions do not change it.
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
#ifndef __mips64
	lw	$gp, 16($sp)
#endif
	.section .note.GNU-stack, "", @progbits
