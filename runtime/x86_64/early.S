/* SPDX-License-Identifier: Apache-2.0 */
/*
 * early.S - an IFUNC, so that a dynamic linker calls us before any code of the program
 *
 * glibc's dynamic linker calls the resolvers of a program (R_X86_64_IRELATIVE) at the end of its
 * relocation, which it relocates last, and then the first initialiser.  The function itself
 * is never called.
 */
#include <cet.h>

	.file	"early.S"
	.text
	.hidden	__ldx_early, __ldx_start
	.type	__ldx_resolve, @gnu_indirect_function
__ldx_resolve:
	.cfi_startproc
	_CET_ENDBR
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	__ldx_early
	lea	__ldx_start(%rip), %rax
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	__ldx_resolve, .-__ldx_resolve

	/* R: not to be collected, although nothing refers to it. */
	.section .data.rel.ro.ldx, "awR", @progbits
	.balign	8
	.quad	__ldx_resolve
	.section .note.GNU-stack, "", @progbits
