# Jumps and calls to an IFUNC lead to what its resolver chooses, not to the resolver, which reads nothing.
# hazard: tail jump to an IFUNC.
//# each: -pie | -no-pie | -static | -static-pie
//# stdout: 21 171
	.text
	.type	tail, @function
tail:				# (from, to) -> the numbers between, by way of another
	sub	$1, %rdi
	add	$1, %rsi
	mov	$20, %edx
	jmp	2f
1:	test	$1, %dl
	je	2f
	add	$1, %rdi
2:	dec	%edx
	jne	1b
	jmp	between
	.size	tail, .-tail
	.type	last, @function
last:				# the same, by a branch
	add	$100, %rsi
	mov	$20, %edx
	xor	%ecx, %ecx
	jmp	2f
1:	test	$1, %dl
	je	2f
	add	$3, %rcx
2:	dec	%edx
	jne	1b
	sub	%rcx, %rsi
	cmp	$1, %rdi
	jne	between
	ret
	.size	last, .-last
	.type	pick, @function
pick:	lea	real(%rip), %rax
	ret
	.size	pick, .-pick
	.type	between, @gnu_indirect_function
	.set	between, pick
	.type	real, @function
real:	mov	%rsi, %rax
	sub	%rdi, %rax
	ret
	.size	real, .-real

	.globl	main
	.type	main, @function
main:
	push	%rbx
	mov	$10, %edi
	mov	$39, %esi
	call	tail
	mov	%rax, %rbx
	mov	$10, %edi
	mov	$111, %esi
	call	last
	lea	format(%rip), %rdi
	mov	%ebx, %esi
	mov	%eax, %edx
	xor	%eax, %eax
	call	printf
	xor	%eax, %eax
	pop	%rbx
	ret
	.size	main, .-main
	.section .rodata
format:	.string "%d %d\n"
	.section .note.GNU-stack, "", @progbits
