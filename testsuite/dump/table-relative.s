# A table of distances from itself, as compilers make it, bounded by a comparison.
//# dump: blocks blocks tables refs
//# dump: edges plan
	.globl	f
	.type	f, @function
f:
	cmp	$3, %edi
	ja	4f
	mov	%edi, %edi
	lea	table(%rip), %rdx
	movslq	(%rdx, %rdi, 4), %rax
	add	%rdx, %rax
	jmp	*%rax
0:	mov	$1, %eax
	ret
1:	mov	$2, %eax
	ret
2:	mov	$3, %eax
	ret
4:	xor	%eax, %eax
	ret
	.size	f, . - f
	.section .rodata
	.align	4
table:
	.long	0b - table, 1b - table, 2b - table, 1b - table
	.section .note.GNU-stack
