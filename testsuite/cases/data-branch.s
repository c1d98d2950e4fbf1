# SPDX-License-Identifier: Apache-2.0
# Data behind a function that look like a branch into it: control comes there by falling through only.
# hazard: data in text.
//# stdout: 8 10
	.text
	.globl look
	.type look, @function
look:				# table[edi] + 3
	leaq table(%rip), %r11
	movl (%r11,%rdi,4), %eax
	addl $1, %eax
1:	addl $2, %eax
	ret
	.size look, .-look
	.p2align 4
table:	.long 5, 7, 0x90909090, 0x90909090
	.byte 0x75, 1b - . - 1
	.p2align 4, 0
	.globl main
	.type main, @function
main:
	pushq %rbx
	xorl %edi, %edi
	call look
	movl %eax, %ebx
	movl $1, %edi
	call look
	leaq format(%rip), %rdi
	movl %ebx, %esi
	movl %eax, %edx
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d %d\n"
	.section .note.GNU-stack,"",@progbits
