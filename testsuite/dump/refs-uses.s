# One field of each use: calls, branches within and out of a function, addresses, reads of code, data.
//# dump: blocks blocks refs
	.globl	f
	.type	f, @function
f:
	call	g
	call	outside
	lea	g(%rip), %rax
	movabs	$f, %rcx
	mov	outside@GOTPCREL(%rip), %rdx
	test	%edi, %edi
	jz	1f
	jmp	g
1:	ret
	.size	f, . - f
	.type	g, @function
g:
	mov	g(%rip), %al
	ret
	.size	g, . - g
	.data
	.quad	f, g + 0
	.long	outside - .
	.section .note.GNU-stack
