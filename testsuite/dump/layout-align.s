# No-ops in front of an aligned loop and of a function become as many as align them anew.
//# dump: blocks layout
	.globl	f
	.type	f, @function
	.p2align 4
f:
	test	%edi, %edi
	jz	2f
	xor	%eax, %eax
	.p2align 4
1:	add	(%rsi), %eax
	dec	%edi
	jnz	1b
2:	ret
	.size	f, . - f
	.globl	g
	.type	g, @function
	.p2align 4
g:
	ret
	.size	g, . - g
	.section .note.GNU-stack
