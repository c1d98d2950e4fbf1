/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begins.S - a static program has thread pointers
 *
 * A part of _init, which crti.o begins and crtn.o ends: called before constructors, and before a
 * filter can forbid the system calls made here.  From here on the first thread's cells are
 * identified by its thread pointer.
 */
#include <cet.h>

	.file	"begins.S"
	.hidden	__ldx_threads_check
	.section .init, "ax", @progbits
	call	__ldx_threads_check
	.section .note.GNU-stack, "", @progbits
