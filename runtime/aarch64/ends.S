/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends.S - called when a program leaves main
 *
 * A part of _fini, which crti.o begins and crtn.o ends; see x86_64/ends.S.
 */
	.file	"ends.S"
	.hidden	__ldx_ended
	.section .fini, "ax", @progbits
	bl	__ldx_ended
	.section .note.GNU-stack, "", @progbits
