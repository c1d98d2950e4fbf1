# Where code of one edge stands: in front of a jump that goes one way only, behind a branch, in front of a
# branch's target, also if a relocation names that; behind one that leads to another function; for entries of
# one jump's table.
//# dump: ways edges exits
//# dump: ways layout:two
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
	ja	.Ltwo
	lea	table(%rip), %rax
	movslq	(%rax,%rdi,4), %rdx
	add	%rax, %rdx
	notrack jmp *%rdx
.Ltwo:
	ret
.Lthree:
	jmp	*%rsi
.Lfour:
	call	abort
	.size	h, . - h
	.globl	two
	.type	two, @function
two:
	test	%esi, %esi
	jz	1f
	lea	first(%rip), %rax
	movslq	(%rax,%rdi,4), %rdx
	add	%rax, %rdx
	notrack jmp *%rdx
1:
	lea	second(%rip), %rax
	movslq	(%rax,%rdi,4), %rdx
	add	%rax, %rdx
	notrack jmp *%rdx
4:
	mov	$2, %eax
	ret
5:
	mov	$3, %eax
	ret
	.size	two, . - two
	.globl	shared
	.type	shared, @function
shared:
	lea	third(%rip), %rax
	test	%esi, %esi
	jz	1f
	movslq	(%rax,%rdi,4), %rdx
	add	%rax, %rdx
	notrack jmp *%rdx
1:
	movslq	8(%rax,%rdi,4), %rdx
	add	%rax, %rdx
	notrack jmp *%rdx
2:
	ret
3:
	ud2
	.size	shared, . - shared
	.section .rodata
first:
	.long	4b - first, 5b - first
second:
	.long	4b - second, 5b - second
third:
	.long	2b - third, 3b - third
	.p2align 2
table:
	.long	.Ltwo - table, .Lthree - table, .Lfour - table, .Ltwo - table
	.section .note.GNU-stack
