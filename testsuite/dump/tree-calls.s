# A call that may not return is an edge out and one in: what is behind it is counted anew.  One that returns
# is none.  Where a function branches to its start, its entries are counted apart.
//# dump: edges plan
	.type	returns, @function
returns:
	xor	%eax, %eax
	ret
	.size	returns, . - returns
	.globl	f
	.type	f, @function
f:
	sub	$8, %rsp
	call	returns
	call	outside
	add	$8, %rsp
	dec	%edi
	jnz	f
	ret
	.size	f, . - f
	.section .note.GNU-stack
