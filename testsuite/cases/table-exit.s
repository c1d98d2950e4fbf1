# The base of a jump table, in a register that holds a function in front of a call of exit().
# What stands behind that call is reached by the table alone.
# hazard: hoisted table base.
//# status: 44
	.globl	main
	.type	main, @function
main:
	push	%rbx
	lea	table(%rip), %r12
	lea	text(%rip), %rbx
	xor	%ebp, %ebp
1:	movzbl	(%rbx), %eax
	inc	%rbx
	sub	$97, %eax
	cmp	$1, %eax
	ja	2f
	movslq	(%r12,%rax,4), %rax
	add	%r12, %rax
	jmp	*%rax
.La:	add	$1, %ebp
	jmp	1b
2:	lea	twice(%rip), %r12
	call	*%r12
	mov	%ebp, %edi
	call	exit@PLT
.Lb:	add	$10, %ebp
	jmp	1b
	.size	main, .-main
	.type	twice, @function
twice:	add	%ebp, %ebp
	ret
	.size	twice, .-twice
	.section	.rodata
	.balign	4
table:	.long	.La - table, .Lb - table
text:	.string	"abab"
	.section	.note.GNU-stack,"",@progbits
