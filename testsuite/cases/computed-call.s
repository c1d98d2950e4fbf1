# Calls of one of several rows of code, by arithmetic from the function in front of them.
# hazard: row of code called.
//# opaque: once row_once twice row_twice
	.macro	rows name, shift, adds
	.section .text.\name, "ax", @progbits
	.balign	32
	.type	\name, @function
\name:	shl	$\shift, %rdi
	lea	\name(%rip), %r9
	.rept	\adds
	add	%rdi, %r9
	.endr
	xor	%eax, %eax
	mov	$3, %ecx
	call	*%r9
	ret
	.size	\name, .-\name

	.balign	32
	.type	row_\name, @function
row_\name:
1:	add	$1, %eax
	dec	%ecx
	jg	1b
	ret
	.balign	32
2:	add	$2, %eax
	dec	%ecx
	jg	2b
	ret
	.size	row_\name, .-row_\name
	.endm

	rows	once, 5, 1
	rows	twice, 4, 2

	.section .text.main, "ax", @progbits
	.globl	main
	.type	main, @function
main:
	push	%rbx
	mov	$-18, %ebx
	.irp	pick, once, twice
	mov	$1, %edi
	call	\pick
	add	%eax, %ebx
	mov	$2, %edi
	call	\pick
	add	%eax, %ebx
	.endr
	mov	%ebx, %eax
	pop	%rbx
	ret
	.size	main, .-main
	.section .note.GNU-stack,"",@progbits
