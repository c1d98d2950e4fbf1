# What is behind a call proves what is in front of it, and is not proved by that: the process may end
# in the call.
//# dump: cover plan
	.type	returns, @function
returns:
	xor	%eax, %eax
	ret
	.size	returns, . - returns
	.globl	f
	.type	f, @function
f:
	sub	$8, %rsp
	test	%edi, %edi
	jz	1f
	call	returns
	jmp	2f
1:	call	outside
2:	add	$8, %rsp
	ret
	.size	f, . - f
	.section .note.GNU-stack
