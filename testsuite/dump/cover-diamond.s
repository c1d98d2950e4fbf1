# Marks: what is executed whenever another block was needs none.
//# dump: cover plan
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
