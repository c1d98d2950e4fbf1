# A call behind data that decode with it: the relocation is on no instruction, and the callee is the first
# of its section.  A table in front of a function has the distance of another one from that function.
# hazard: distance in code.
//# opaque: outer callee first table_of
	.text
	.type	outer, @function
outer:
	sub	$8, %rsp
	jmp	1f
	.byte	0xb8
1:	call	callee
	add	$8, %rsp
	ret
	.size	outer, .-outer

	.section .text.callee, "ax", @progbits
	.type	callee, @function
callee:
	mov	$7, %eax
	cmp	$3, %edi
	je	1f
	add	$100, %eax
1:	ret
	.size	callee, .-callee

	.section .text.first, "ax", @progbits
	.type	first, @function
first:
	lea	20(%rdi), %eax
	ret
	.size	first, .-first

	.section .text.table_of, "ax", @progbits
	.long	first-table_of
	.quad	0
	.type	table_of, @function
table_of:
	lea	table_of(%rip), %rax
	movslq	-12(%rax), %rdx
	add	%rdx, %rax
	jmp	*%rax
	.size	table_of, .-table_of

	.section .text.main, "ax", @progbits
	.globl	main
	.type	main, @function
main:
	push	%rbx
	mov	$3, %edi
	call	outer
	mov	%eax, %ebx
	mov	$4, %edi
	call	outer
	add	%eax, %ebx
	mov	$1, %edi
	call	table_of
	lea	-135(%rbx,%rax), %eax
	pop	%rbx
	ret
	.size	main, .-main
	.section .note.GNU-stack,"",@progbits
