# Functions that jump by distances from where they begin: nothing may come in front of them.
# hazard: jump into unrolled code.
//# ldflags: -no-pie
//# stdout: 12
//# opaque: near far absolute
	.macro jumper name, addr:vararg
	.p2align 4
	.type \name, @function
\name:	\addr
	addq %rdi, %rax
	jmp *%rax
	.p2align 5
	addl $1, %ebx
	ret
	.p2align 5
	addl $3, %ebx
	ret
	.size \name, .-\name
	.endm
	.text
	.p2align 5
	jumper near, leaq near(%rip), %rax
	.globl far
	.p2align 5
	jumper far, leaq far(%rip), %rax
	.p2align 5
	jumper absolute, movl $absolute, %eax
	.section .text.main, "ax", @progbits
	.globl main
	.type main, @function
main:	pushq %rbx
	xorl %ebx, %ebx
	.irp name, near, far, absolute
	movl $32, %edi
	call \name
	movl $64, %edi
	call \name
	.endr
	leaq format(%rip), %rdi
	movl %ebx, %esi
	xorl %eax, %eax
	call printf
	popq %rbx
	xorl %eax, %eax
	ret
	.size main, .-main
	.section .rodata
format:	.asciz "%d\n"
	.section .note.GNU-stack, "", @progbits
