# Two tables in one function.  Each jump leads where its table does, also the last one, whose table
# another block names.
//# dump: blocks blocks tables
//# dump: edges plan
	.globl	f
	.type	f, @function
f:
	lea	second(%rip), %rcx
	lea	first(%rip), %rdx
	movslq	(%rdx, %rdi, 4), %rax
	add	%rdx, %rax
	jmp	*%rax
0:	lea	second(%rip), %r8
	mov	%r8, %rdx
	mov	(%rdx, %rsi, 4), %eax
	cltq
	lea	(%rax, %r8), %rax
	jmp	*%rax
1:	movslq	(%rcx, %rsi, 4), %rax
	add	%rcx, %rax
	jmp	*%rax
2:	mov	$2, %eax
	ret
3:	mov	$3, %eax
	ret
	.size	f, . - f
	.section .rodata
	.align	4
first:
	.long	0b - first, 1b - first
second:
	.long	2b - second, 3b - second
	.section .note.GNU-stack
