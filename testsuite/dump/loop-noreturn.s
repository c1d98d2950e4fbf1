# A way out that ends in a call of what never returns is rare.
//# dump: blocks loops
	.globl	f
	.type	f, @function
f:
	push	%rbx
	mov	%edi, %ebx
1:
	mov	(%rsi, %rbx, 8), %rax
	test	%rax, %rax
	jz	2f
	dec	%ebx
	jnz	1b
	pop	%rbx
	ret
2:
	call	abort
	.size	f, . - f
	.section .note.GNU-stack
