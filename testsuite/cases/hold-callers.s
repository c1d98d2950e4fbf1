# gcc -fipa-ra: main keeps %r11 over `between', because neither that nor what it calls touches it.
# hazard: register kept over a call.
	.text
	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	push	%rbx
	.cfi_adjust_cfa_offset 8
	mov	$40, %ebx
	mov	$7, %r11d
1:	mov	%r11d, %edi
	call	between
	dec	%ebx
	jns	1b
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	lea	-7(%r11), %eax
	ret
	.cfi_endproc
	.size	main, .-main

	.type	between, @function
between:
	.cfi_startproc
	call	rounds
	add	$1, %eax
	ret
	.cfi_endproc
	.size	between, .-between

	.type	rounds, @function
rounds:
	.cfi_startproc
	xor	%eax, %eax
	mov	$30, %ecx
1:	cmp	%ecx, %edi
	jle	2f
	add	$2, %eax
	jmp	3f
2:	add	$1, %eax
3:	dec	%ecx
	jne	1b
	ret
	.cfi_endproc
	.size	rounds, .-rounds
	.section .note.GNU-stack,"",@progbits
