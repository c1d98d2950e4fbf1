# An entry that is no instruction: the table proves nothing, and the function is opaque.
//# dump: blocks blocks tables plan
	.globl	f
	.type	f, @function
f:
	cmp	$1, %edi
	ja	4f
	mov	%edi, %edi
	lea	table(%rip), %rdx
	movslq	(%rdx, %rdi, 4), %rax
	add	%rdx, %rax
	jmp	*%rax
0:	mov	$1, %eax
	ret
4:	xor	%eax, %eax
	ret
	.size	f, . - f
	.section .rodata
	.align	4
table:
	.long	0b - table, 0b + 1 - table
	.section .note.GNU-stack
