# A tail call: its target returns for it, to callers that read a register which neither of the two writes.
//# dump: blocks liveness
	.globl	f
	.type	f, @function
f:
	mov	%rdi, %r10
	call	tail
	lea	(%r10, %rax), %rax	# so r10 is live throughout tail and target
	ret
	.size	f, . - f
	.type	tail, @function
tail:
	inc	%rsi
	jmp	target
	.size	tail, . - tail
	.type	target, @function
target:
	mov	%rsi, %rax
	ret
	.size	target, . - target
	.section .note.GNU-stack
