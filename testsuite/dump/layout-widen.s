# Short branches at the end of their reach grow, which moves what they lead over; the one within does not.
//# dump: blocks layout
	.globl	f
	.type	f, @function
f:
	test	%edi, %edi
	jz	2f
	dec	%edi
	jz	1f
	.rept	40
	mov	(%rsi), %eax
	.endr
	test	%eax, %eax
	jz	1f
	.rept	18
	mov	(%rsi), %eax
	.endr
1:	inc	%eax
2:	ret
	.size	f, . - f
	.section .note.GNU-stack
