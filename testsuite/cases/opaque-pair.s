# Two opaque functions next to each other: the second one's entry is counted too, and it keeps
# its alignment and the distances inside it all the same.
# hazard: aligned data in text.
//# ldflags: -no-pie
//# stdout: 5 6
//# opaque: first second
	.macro unrolled name
	.globl \name
	.type \name, @function
\name:
	xorl %eax, %eax
	leaq 1f(%rip), %r9
	andl $7, %edi
	shll $4, %edi
	addq %r9, %rdi
	jmp *%rdi
	.p2align 4
1:	.rept 8
	addl $1, %eax
	.p2align 4
	.endr
	ret
	.size \name, .-\name
	.endm
	.text
	unrolled first
	unrolled second
	.globl main
	.type main, @function
main:	pushq %rbx
	movl $3, %edi
	call first
	movl %eax, %ebx
	movl $2, %edi
	call second
	movl %eax, %edx
	movl %ebx, %esi
	movl $format, %edi
	xorl %eax, %eax
	call printf
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d %d\n"
	.section .note.GNU-stack, "", @progbits
