/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends.S - called when a program with a dynamic linker leaves main
 *
 * There is no _fini that the start files are part of.  The dynamic linker calls what is in the
 * array, the last entry first; the entries of other files have no priority, or a lower one.
 */
	.file	"ends.S"
	.hidden	__ldx_ended
	.section .fini_array.00000, "aw", @fini_array
	.balign	8
	.quad	__ldx_ended
	.section .note.GNU-stack, "", @progbits
