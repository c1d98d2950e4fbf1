# A call of one of several rows of code, by arithmetic from the function in front of them.
//# opaque: pick row
	.text
	.balign	32
	.type	pick, @function
pick:
	shl	$5, %rdi
	lea	pick(%rip), %r9
	add	%rdi, %r9
	xor	%eax, %eax
	mov	$3, %ecx
	call	*%r9
	ret
	.size	pick, .-pick

	.balign	32
	.type	row, @function
row:
1:	add	$1, %eax
	dec	%ecx
	jg	1b
	ret
	.balign	32
2:	add	$2, %eax
	dec	%ecx
	jg	2b
	ret
	.size	row, .-row

	.section .text.main, "ax", @progbits
	.globl	main
	.type	main, @function
main:
	mov	$1, %edi
	call	pick
	mov	%eax, %esi
	mov	$2, %edi
	call	pick
	lea	-9(%rax,%rsi), %eax
	ret
	.size	main, .-main
	.section .note.GNU-stack,"",@progbits
