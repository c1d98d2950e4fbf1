# Tables of addresses, two in one function.
//# dump: blocks blocks tables refs
	.globl	f
	.type	f, @function
f:
	cmp	$1, %edi
	ja	4f
	mov	%edi, %edi
	jmp	*first(, %rdi, 8)
0:	cmp	$1, %esi
	ja	4f
	mov	%esi, %esi
	jmp	*second(, %rsi, 8)
1:	mov	$2, %eax
	ret
2:	mov	$3, %eax
	ret
4:	xor	%eax, %eax
	ret
	.size	f, . - f
	.section .rodata
	.align	8
first:
	.quad	0b, 1b
second:
	.quad	1b, 2b
	.section .note.GNU-stack
