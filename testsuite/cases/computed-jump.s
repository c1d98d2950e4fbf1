# A jump into unrolled code by arithmetic on a code address: distances must not change.
# hazard: jump into unrolled code.
//# ldflags: -no-pie
//# stdout: 40
//# opaque: unrolled
	.text
	.globl unrolled
	.type unrolled, @function
unrolled:			# (1 << 3 steps) - edi: jumps over edi additions
	xorl %eax, %eax
	leaq base(%rip), %r9
	andl $7, %edi
	shll $4, %edi
	addq %r9, %rdi
	jmp *%rdi
	.p2align 4
base:
	.rept 8
	addl $1, %eax
	.p2align 4
	.endr
	ret
	.size unrolled, .-unrolled
	.globl main
	.type main, @function
main:
	pushq %rbx
	pushq %rbp
	xorl %ebx, %ebx
	xorl %ebp, %ebp
1:	movl %ebx, %edi
	call unrolled
	addl %eax, %ebp
	incl %ebx
	cmpl $8, %ebx
	jne 1b
	leal 4(%rbp), %esi
	movl $format, %edi
	xorl %eax, %eax
	call printf
	xorl %eax, %eax
	popq %rbp
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d\n"
	.section .note.GNU-stack, "", @progbits
