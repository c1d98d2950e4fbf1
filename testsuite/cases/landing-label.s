# A landing instruction alone is a block when a label follows it.
//# report: f 3
//# report: main 1
	.text
	.globl	main, f
	.type	main, @function
main:
	push	%rbx
	call	f
	mov	$5, %ebx
0:	call	.Linner
	dec	%ebx
	jnz	0b
	call	f
	lea	f(%rip), %rax
	call	*%rax
	xor	%eax, %eax
	pop	%rbx
	ret
	.size	main, .-main

	.type	f, @function
f:
	endbr64
.Linner:
	incl	n(%rip)
	ret
	.size	f, .-f

	.local	n
	.comm	n, 4
	.section .note.GNU-stack, "", @progbits
