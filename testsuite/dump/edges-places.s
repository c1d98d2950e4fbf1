# Where code of one edge stands: in front of a jump that goes one way only, behind a branch, in front of a
# branch's target, also if a relocation names that.
//# dump: ways edges
	.globl	f
	.type	f, @function
f:
	test	%edi, %edi
	jz	1f
	dec	%edi
	js	f
	jc	h
	call	g
1:
	mov	(%rsi), %eax
	jo	other
	jmp	h
	.size	f, . - f
	.globl	h
	.type	h, @function
h:
	cmp	$3, %edi
	ja	2f
	lea	table(%rip), %rax
	movslq	(%rax,%rdi,4), %rdx
	add	%rax, %rdx
	notrack jmp *%rdx
2:
	ret
3:
	jmp	*%rsi
4:
	call	abort
	.size	h, . - h
	.section .rodata
	.p2align 2
table:
	.long	2b - table, 3b - table, 4b - table, 2b - table
	.section .note.GNU-stack
