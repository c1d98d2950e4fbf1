# The first of two branches to one block behind a compare of floating-point numbers is for a NaN: it is rarely taken, and
# its edge's code is in front of the other's.
//# dump: edges loops layout
	.globl	f
	.type	f, @function
f:
	comisd	%xmm1, %xmm0
	jp	1f
	jne	1f
	addsd	%xmm1, %xmm0
	mulsd	%xmm1, %xmm0
1:
	mov	(%rsi), %eax
	ret
	.size	f, . - f
	.section .note.GNU-stack
