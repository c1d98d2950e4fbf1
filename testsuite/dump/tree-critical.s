# An edge from a block with several ways out to one with several ways in: it has code of its own, which
# all others that come there jump over.
//# dump: edges plan layout
//# dump: blocks plan
	.globl	f
	.type	f, @function
f:
	test	%edi, %edi
	jz	1f
	dec	%edi
	js	1f
	call	g
1:
	mov	(%rsi), %eax
	ret
	.size	f, . - f
	.section .note.GNU-stack
