# A loop whose rounds are counted in a register, and which is left by a jump to a loop within: that
# jump is counted in front of it.
//# stdout: 3 180
	.text
	.type	rounds, @function
rounds:				# %rdi: array, %rsi: its length
	xor	%r8d, %r8d
	xor	%r9d, %r9d
	xor	%eax, %eax
1:	movzbl	(%rdi,%rax), %edx
	add	%rdx, %r8
	inc	%rax
	cmp	%rsi, %rax
	jne	1b
	xor	%ecx, %ecx
	jmp	3f
	nop
2:	inc	%rcx
	cmp	%rsi, %rcx
	je	4f
3:	cmpb	$2, (%rdi,%rcx)
	jae	2b
	incb	(%rdi,%rcx)
	mov	$1, %r10d
	jmp	2b
4:	inc	%r9
	xor	%eax, %eax
	test	%r10d, %r10d
	mov	$0, %r10d
	jne	1b
	mov	%r8, %rax
	mov	%r9, %rdx
	ret
	.size	rounds, .-rounds
	.globl	main
	.type	main, @function
main:	sub	$8, %rsp
	lea	array(%rip), %rdi
	mov	$60, %esi
	xor	%r10d, %r10d
	call	rounds
	lea	format(%rip), %rdi
	mov	%rdx, %rsi
	mov	%rax, %rdx
	xor	%eax, %eax
	call	printf@PLT
	xor	%eax, %eax
	add	$8, %rsp
	ret
	.size	main, .-main
	.bss
array:	.skip	60
	.section .rodata
format:	.asciz	"%d %d\n"
	.section .note.GNU-stack, "", @progbits
