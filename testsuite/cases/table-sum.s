# Jumps by tables whose target lea adds up, or that take their table's first word: flags are dead in front
# of them, although what is called by its address has an instruction that may read anything.
//# stdout: 5
	.globl	main
	.type	main, @function
main:
	push	%rbx
	lea	vague(%rip), %rbx
	call	*%rbx
	call	sum
	lea	format(%rip), %rdi
	xor	%eax, %eax
	call	printf@PLT
	xor	%eax, %eax
	pop	%rbx
	ret
	.size	main, .-main
	.type	vague, @function
vague:	mov	$2, %edi
	xor	%esi, %esi
	jz	1f
	xstore
1:	ret
	.size	vague, .-vague
	.type	sum, @function
sum:	sub	$2, %edi
	lea	table(%rip), %r10
	mov	%edi, %eax
	movslq	(%r10,%rax,4), %rcx
	lea	(%r10,%rcx), %r10
	jmp	*%r10
.La:	add	$1, %esi
	movslq	second(%rip), %rax
	lea	second(%rip), %rdx
	add	%rdx, %rax
	mov	%eax, %ecx
	jmp	*%rax
.Lb:	add	$2, %esi
.Lc:	add	$4, %esi
	ret
	.size	sum, .-sum
	.section	.rodata
	.balign	4
table:	.long	.La - table, .Lb - table
second:	.long	.Lc - second, .Lb - second
format:	.string	"%d\n"
	.section	.note.GNU-stack, "", @progbits
