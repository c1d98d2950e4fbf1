# Of the edges that lead to one block the most frequent one's code is the last: it jumps over nothing.
//# dump: edges loops plan layout
	.globl	f
	.type	f, @function
f:
	test	%edi, %edi
	jz	1f
	dec	%edi
	js	2f
	dec	%edi
	js	2f
	dec	%edi
	js	1f
	call	g
1:
	mov	(%rsi), %eax
	ret
2:
	mov	(%rdx), %eax
	ret
	.size	f, . - f
	.section .note.GNU-stack
