# What a branch leaves live on its two sides: a flag, a register that one side alone reads, one that is
# written before it is read, and one of which a part is written.
//# dump: blocks liveness
	.globl	f
	.type	f, @function
f:
	mov	%rdi, %rax		# rsi and rdx are live, and of rcx a part
	cmp	%rsi, %rdi
	jb	1f
	setg	%cl			# reads flags of the block before, and writes a part of rcx
	movzbl	%cl, %ecx
	add	%rcx, %rax
	ret
1:
	mov	$1, %ecx
	adc	%rdx, %rax		# reads the carry that cmp left
	ret
	.size	f, . - f
	.section .note.GNU-stack
