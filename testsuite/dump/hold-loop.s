# A counter of a short loop is held in a register that is dead there; the other one follows from what the
# loop itself counts in.
//# dump: edges plan layout
	.globl	f
	.type	f, @function
f:
	xor	%eax, %eax
1:
	test	$1, %edi
	jz	2f
	add	%edi, %eax
2:
	add	$4, %rsi
	shr	%edi
	jnz	1b
	ret
	.size	f, . - f
	.section .note.GNU-stack
