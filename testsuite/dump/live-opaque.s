# In a function that is not understood everything is live, and in front of a jump to it as well.
//# dump: blocks blocks liveness
	.globl	f
	.type	f, @function
f:
	mov	%edi, %edi
	lea	f(%rip), %rax
	lea	(%rax, %rdi, 4), %rax
	jmp	*%rax
	.size	f, . - f
	.globl	g
	.type	g, @function
g:
	test	%edi, %edi
	jz	f
	ret
	.size	g, . - g
	.section .note.GNU-stack
