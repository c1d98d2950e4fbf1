# A loop behind a call that does not return: control does not fall into the loop, but the code does.
	.globl	main
	.type	main, @function
main:
	push	%rbx
	mov	$100, %ecx
	xor	%ebx, %ebx
	cmp	$1, %edi
	je	2f
1:	mov	%ebx, %edi
	call	exit
2:	add	$1, %ebx
	cmp	%ecx, %ebx
	jne	2b
	xor	%ebx, %ebx
	jmp	1b
	.size	main, .-main
	.section	.note.GNU-stack,"",@progbits
