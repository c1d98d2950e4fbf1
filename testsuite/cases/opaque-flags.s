# An opaque function reads flags that its callee has set.
//# ldflags: -no-pie
//# stdout: 6
//# opaque: sum
	.section .text.is_small, "ax"
	.type is_small, @function
is_small:			# ZF: edi is below 3
	cmpl $3, %edi
	jae 1f
	cmpl %edi, %edi
1:	ret
	.size is_small, .-is_small
	.text
	.globl sum
	.type sum, @function
sum:				# edi = 0: looks at 1 and 7; 1: at 7 only
	xorl %eax, %eax
	leaq base(%rip), %r9
	shll $5, %edi
	addq %r9, %rdi
	jmp *%rdi
	.p2align 5
base:	movl $1, %edi
	call is_small
	jnz 1f
	addl $2, %eax
	.p2align 5
1:	movl $7, %edi
	call is_small
	jz 2f
	addl $1, %eax
2:	ret
	.size sum, .-sum
	.section .text.main, "ax"
	.globl main
	.type main, @function
main:
	pushq %rbx
	xorl %edi, %edi
	call sum
	movl %eax, %ebx
	movl $1, %edi
	call sum
	leal 2(%rax,%rbx), %esi
	movl $format, %edi
	xorl %eax, %eax
	call printf
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d\n"
	.section .note.GNU-stack, "", @progbits
