# Constants among the code: read through %rip without a relocation, aligned, some looking like code.
# hazard: data in text.
# hazard: aligned data in text.
//# stdout: 28 abc
//# opaque: scrambled
	.text
	.p2align 4
constants:
	.long 1, 2, 3, 4
	.globl vector
	.type vector, @function
vector:				# the constants before and behind it need their 16-byte alignment
	movdqa constants(%rip), %xmm0
	paddd behind(%rip), %xmm0
	movdqa %xmm0, %xmm1
	psrldq $8, %xmm1
	paddd %xmm1, %xmm0
	movdqa %xmm0, %xmm1
	psrldq $4, %xmm1
	paddd %xmm1, %xmm0
	movd %xmm0, %eax
	ret
	.size vector, .-vector
	.p2align 4
behind:
	.long 3, 4, 5, 6
	.globl scrambled
	.type scrambled, @function
scrambled:			# its size covers a string
	leaq string(%rip), %rax
	ret
string:	.string "abc"
	.size scrambled, .-scrambled
	.p2align 4
	.globl main
	.type main, @function
main:
	pushq %rbx
	call vector
	movl %eax, %ebx
	call scrambled
	movq %rax, %rdx
	movl %ebx, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d %s\n"
	.section .note.GNU-stack, "", @progbits
