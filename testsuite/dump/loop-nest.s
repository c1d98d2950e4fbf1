# A loop in a loop: heads, and frequencies that grow inwards.
//# dump: blocks loops
	.globl	f
	.type	f, @function
f:
	xor	%eax, %eax
1:
	mov	%esi, %ecx
2:
	add	%ecx, %eax
	dec	%ecx
	jnz	2b
	dec	%edi
	jnz	1b
	ret
	.size	f, . - f
	.section .note.GNU-stack
