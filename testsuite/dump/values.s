# What registers and words of the frame hold behind pushes, copies, stores, two ways and a call.
//# dump: blocks values
	.globl	f
	.type	f, @function
f:
	push	%rbp
	mov	%rsp, %rbp
	sub	$32, %rsp
	mov	%rdi, -8(%rbp)		# an argument, in a word of the frame
	lea	g(%rip), %rax
	mov	%rax, -16(%rbp)		# a function's address
	mov	$7, %ecx
	lea	12(%rsi), %rdx
	test	%rdi, %rdi
	je	1f
	lea	g(%rip), %rcx		# a number, or this
	mov	%rsp, %r11		# the frame at two places
	jmp	2f
1:
	mov	%rbp, %r11
	mov	%rdx, -8(%rbp)		# another argument
2:
	mov	-16(%rbp), %r9
	xor	%edx, %edx
	call	g			# knows no address in the frame
	leave
	test	%eax, %eax
	je	3f
	mov	$1, %eax
3:
	ret
	.size	f, . - f
	.globl	g
	.type	g, @function
g:
	mov	%rdi, %rax
	ret
	.size	g, . - g
	.section .note.GNU-stack
