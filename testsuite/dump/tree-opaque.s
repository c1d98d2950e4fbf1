# Of a function that is not understood the entries are counted, in front of it, and it keeps its
# alignment.
//# dump: functions blocks plan layout
//# dump: edges plan
	.globl	f
	.type	f, @function
f:
	ret
	.size	f, . - f
	.globl	g
	.type	g, @function
	.p2align 4
g:
	and	$3, %edi
	shl	$4, %edi
	lea	1f(%rip), %rdx
	add	%rdi, %rdx
	jmp	*%rdx
	.p2align 4
1:
	.rept	4
	inc	%esi
	.p2align 4
	.endr
	ret
	.size	g, . - g
	.section .note.GNU-stack
