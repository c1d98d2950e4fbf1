# A block is not proved by one that may stop in the middle.
//# dump: cover plan
	.globl	f
	.type	f, @function
f:
	mov	(%rdi), %eax
	test	%eax, %eax
	jz	1f
	mov	(%rsi), %eax
1:
	mov	%eax, (%rdi)
	mov	(%rdx), %ecx
	call	outside
	ret
	.size	f, . - f
	.section .note.GNU-stack
