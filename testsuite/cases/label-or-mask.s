# SPDX-License-Identifier: Apache-2.0
# A function's address, or -1 or 0 instead, by a mask: no distance is added, and nothing is opaque.
# hazard: label or -1.
//# stdout: 7 7
	.text
	.type target, @function
target:
	incl calls(%rip)
	ret
	.size target, .-target
	.globl with_or
	.type with_or, @function
with_or:			# calls target unless edi is below 1
	subq $8, %rsp
	cmpl $1, %edi
	sbbq %rax, %rax
	leaq target(%rip), %r8
	orq %rax, %r8
	cmpq $-1, %r8
	je 1f
	call *%r8
1:	addq $8, %rsp
	ret
	.size with_or, .-with_or
	.globl with_and
	.type with_and, @function
with_and:			# calls target if edi is below 7
	subq $8, %rsp
	cmpl $7, %edi
	sbbq %rax, %rax
	leaq target(%rip), %r8
	andq %r8, %rax
	je 1f
	call *%rax
1:	addq $8, %rsp
	ret
	.size with_and, .-with_and
	.globl main
	.type main, @function
main:
	pushq %rbx
	pushq %rbp
	pushq %rbp
	movl $7, %ebx
1:	movl %ebx, %edi
	call with_or
	decl %ebx
	jns 1b
	movl calls(%rip), %ebp
	movl $7, %ebx
2:	movl %ebx, %edi
	call with_and
	decl %ebx
	jns 2b
	movl calls(%rip), %edx
	subl %ebp, %edx
	movl %ebp, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbp
	popq %rbp
	popq %rbx
	ret
	.size main, .-main
	.local calls
	.comm calls, 4, 4
	.section .rodata
format:	.string "%d %d\n"
	.section .note.GNU-stack, "", @progbits
