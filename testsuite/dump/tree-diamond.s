# Of two ways that part and meet again one is counted; with the entry that tells all.
//# dump: edges plan
	.globl	f
	.type	f, @function
f:
	test	%edi, %edi
	jz	1f
	mov	$1, %eax
	jmp	2f
1:
	mov	$2, %eax
2:
	add	%esi, %eax
	ret
	.size	f, . - f
	.section .note.GNU-stack
