# A register that has a function's address on one path is an index on the other: no code is read.
//# stdout: 5 1
	.text
	.type same, @function
same:	cmpl $3, %edi
	jne 1f
	addl $1, %edi
1:	movl %edi, %eax
	ret
	.size same, .-same
	.type pick, @function
pick:	pushq %rbx
	movslq %edi, %rcx
	movl %edi, %ebx
	testl %edi, %edi
	jne 1f
	leaq same(%rip), %rcx
	movl $1, %edi
	call *%rcx
	leaq same(%rip), %rcx
	cmpl $1, %eax
1:	leaq numbers(%rip), %rdx
	testl %ebx, %ebx
	je 2f
	movzwl (%rdx,%rcx,2), %eax
2:	popq %rbx
	ret
	.size pick, .-pick
	.globl main
	.type main, @function
main:	pushq %rbx
	movl $2, %edi
	call pick
	movl %eax, %ebx
	xorl %edi, %edi
	call pick
	movl %eax, %edx
	movl %ebx, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.section .rodata, "a", @progbits
numbers:	.value 1, 3, 5, 7
format:	.string "%d %d\n"
	.section .note.GNU-stack, "", @progbits
