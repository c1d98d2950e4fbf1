/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begins.S - a static program has thread pointers
 *
 * This is a part of _init, which crti.o begins and crtn.o ends: called before constructors, and before
 * a filter can forbid what is asked of the system.  The first thread's cells are known by its
 * pointer from here on.
 */
#include <cet.h>

	.file	"begins.S"
	.hidden	__ldx_threads_check
	.section .init, "ax", @progbits
	call	__ldx_threads_check
	.section .note.GNU-stack, "", @progbits
