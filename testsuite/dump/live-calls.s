# Registers through calls: what a callee reads of the caller's, outside of any standard, and what it leaves
# in registers that the standard says are lost.
//# dump: blocks liveness
	.type	callee, @function
callee:
	lea	(%r10, %r11), %r9	# r9 is a result: the caller reads it
	ret
	.size	callee, . - callee
	.globl	f
	.type	f, @function
f:
	mov	%rdi, %r10
	mov	%rsi, %r11
	call	callee
	lea	1(%r9), %rax
	ret
	.size	f, . - f
	.globl	g
	.type	g, @function
g:
	push	%rbx
	mov	%rdi, %rbx
	call	outside			# follows the psABI: all but what it keeps is dead behind it
	mov	%rbx, %rax
	pop	%rbx
	ret
	.size	g, . - g
	.section .note.GNU-stack
