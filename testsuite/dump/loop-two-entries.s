# A circle that is entered at two places has no single head.
//# dump: blocks loops
	.globl	f
	.type	f, @function
f:
	test	%edi, %edi
	jz	2f
1:
	add	%edi, %eax
2:
	inc	%eax
	cmp	%esi, %eax
	jb	1b
	ret
	.size	f, . - f
	.section .note.GNU-stack
