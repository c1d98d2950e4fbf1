# As cover-diamond, but one of the two ways may stop in the middle: its mark stands behind that.
//# dump: cover plan
	.globl	f
	.type	f, @function
f:
	test	%edi, %edi
	jz	1f
	mov	(%rsi), %eax
	jmp	2f
1:
	mov	$2, %eax
2:
	add	%esi, %eax
	ret
	.size	f, . - f
	.section .note.GNU-stack
