/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends.S - a program that leaves main says so
 *
 * exit() calls the functions of this array from its end to its beginning: this one behind all
 * destructors of the program.
 */
	.file	"ends.S"
	.hidden	__ldx_ended
	.section .fini_array.00000, "aw", @fini_array
	.balign	8
	.quad	__ldx_ended
	.section .note.GNU-stack, "", @progbits
