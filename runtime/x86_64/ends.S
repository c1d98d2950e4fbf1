/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends.S - called when a program leaves main
 *
 * A part of _fini, which crti.o begins and crtn.o ends: exit() calls it when all destructors of the
 * program have run.  One more destructor would be counted in a static program's libc.
 */
#include <cet.h>

	.file	"ends.S"
	.hidden	__ldx_ended
	.section .fini, "ax", @progbits
	call	__ldx_ended
	.section .note.GNU-stack, "", @progbits
