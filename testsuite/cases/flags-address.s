# Functions called and jumped to by their address answer in the flags.
# hazard: foreign calling convention.
//# stdout: 5 10
	.text
	.type	zero, @function
zero:				# ZF: neither bit 0 nor bit 1 of edi is set
	test	$1, %edi
	jne	1f
	test	$2, %edi
	ret
1:	cmp	$0, %edi
	ret
	.size	zero, .-zero
	.type	odd, @function
odd:				# ZF: bit 0 of edi is not set, by way of its tail
	lea	tail(%rip), %rax
	cmp	$9, %edi
	ja	1f
	nop
1:	jmp	*%rax
	.size	odd, .-odd
	.type	tail, @function
tail:
	test	$1, %edi
	jne	1f
	nopl	(%rax)
1:	jmp	last
	.size	tail, .-tail
	.type	last, @function
last:
	jne	1f
	ret
1:	ret
	.size	last, .-last

	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	push	%rbx
	.cfi_adjust_cfa_offset 8
	push	%r12
	.cfi_adjust_cfa_offset 8
	push	%r13
	.cfi_adjust_cfa_offset 8
	xor	%ebx, %ebx
	xor	%r12d, %r12d
	xor	%r13d, %r13d
1:	mov	%ebx, %edi
	lea	zero(%rip), %rax
	call	*%rax
	jne	2f
	inc	%r12d
2:	mov	%ebx, %edi
	call	odd
	jne	3f
	inc	%r13d
3:	inc	%ebx
	cmp	$20, %ebx
	jne	1b
	lea	format(%rip), %rdi
	mov	%r12d, %esi
	mov	%r13d, %edx
	xor	%eax, %eax
	call	printf@PLT
	xor	%eax, %eax
	pop	%r13
	.cfi_adjust_cfa_offset -8
	pop	%r12
	.cfi_adjust_cfa_offset -8
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	main, .-main
	.section .rodata
format:	.string "%d %d\n"
	.section .note.GNU-stack, "", @progbits
