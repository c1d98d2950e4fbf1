# A block is counted by its ways out if nothing can stop it: what f loads from its frame cannot, what g loads by an
# index or through a pointer can.
//# dump: edges plan
	.macro	func name, first:vararg
	.globl	\name
	.type	\name, @function
\name:
	\first
	jz	1f
	dec	%edi
	js	1f
	call	h
1:
	mov	(%rsi), %eax
	ret
	.size	\name, . - \name
	.endm
	func	f, cmpl $3, 8(%rsp)
	func	g, cmpl $3, 8(%rsp,%rdx)
	func	p, cmpl $3, 8(%rdx)
	func	v, comiss -24(%rsp), %xmm0
	.section .note.GNU-stack
