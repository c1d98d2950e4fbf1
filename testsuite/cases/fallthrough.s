# A function that falls through into the next, also through no-ops; one with several entries; size 0; two names.
# hazard: function of size 0.
# hazard: fall into the next function.
//# order: yes
//# stdout: 111 11 1 7 7 3
	.text
	.globl hundred, ten, one
	.type hundred, @function
hundred:
	addl $100, %edi
	.size hundred, .-hundred
	.type ten, @function
ten:
	addl $10, %edi
	.size ten, .-ten
	.p2align 4		# no-ops
	.type one, @function
one:
	leal 1(%rdi), %eax
	ret
	.size one, .-one

	.globl alias1, alias2
	.type alias1, @function
	.type alias2, @function
alias1:
alias2:
	movl $7, %eax
	ret
	.size alias1, .-alias1

	.globl nosize
	.type nosize, @function
nosize:				# size 0: it extends to the next symbol
	testl %edi, %edi
	je 1f
	movl $2, %eax
	ret
1:	movl $3, %eax
	ret

	.globl main
	.type main, @function
main:
	pushq %rbx
	xorl %edi, %edi
	call hundred
	pushq %rax
	xorl %edi, %edi
	call ten
	pushq %rax
	xorl %edi, %edi
	call one
	movl %eax, %ebx
	call alias1
	pushq %rax
	call alias2
	popq %r8
	movl %eax, %r9d
	xorl %edi, %edi
	pushq %r8
	pushq %r9
	call nosize
	popq %r9
	popq %r8
	movl %ebx, %ecx
	popq %rdx
	popq %rsi
	pushq %rax
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	popq %rax
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d %d %d %d %d %d\n"
	.section .note.GNU-stack, "", @progbits
