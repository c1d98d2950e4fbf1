# A jump by a table does not lead to its function's entry just because the entry is exported.
//# cc: gcc
//# ldflags: -rdynamic -no-pie
//# stdout: 13
	.text
	.globl	main, step
	.type	main, @function
main:
	push	%rbx
	mov	$3, %ebx
	xor	%esi, %esi
0:	lea	-1(%rbx), %edi
	xor	%r11d, %r11d
	call	step
	dec	%ebx
	jnz	0b
	lea	format(%rip), %rdi
	xor	%eax, %eax
	call	printf
	xor	%eax, %eax
	pop	%rbx
	ret
	.size	main, .-main

	.type	step, @function
step:
	cmp	$2, %edi
	setae	%r11b		# whoever reads all of r11 here reads what was in it
	movzbl	%r11b, %eax
	add	%eax, %esi
	call	add
	jmp	*table(, %rdi, 8)
1:	call	add
2:	call	add
3:	ret
	.size	step, .-step

	.type	add, @function
add:	lea	1(%rsi), %esi
	nop
	lea	1(%rsi), %esi
	nop
	ret
	.size	add, .-add

	.section .rodata
	.balign	8
table:	.quad	1b, 2b, 3b
format:	.string	"%d"
	.section .note.GNU-stack, "", @progbits
