# A counter held in the only free register, and one in memory that has to keep flags: not by that one.
# Not known to follow the psABI either, so that no vector register is free.
//# insn: inc +%r11
	.text
	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	push	%rbx
	.cfi_adjust_cfa_offset 8
	mov	$40, %ebx
	mov	$7, %esi
1:	mov	%ebx, %edi
	call	rounds
	dec	%ebx
	jns	1b
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	xor	%eax, %eax
	ret
	.cfi_endproc
	.size	main, .-main

	.type	rounds, @function
rounds:
	.cfi_startproc
	xor	%eax, %eax
	xor	%ecx, %ecx
	xor	%edx, %edx
	xor	%r8d, %r8d
	xor	%r9d, %r9d
	mov	$30, %r10d
1:	cmp	%rdi, %r10
	jle	2f
	lea	2(%rax), %rax
	jmp	3f
2:	lea	1(%rax), %rax
3:	lea	(%rax,%rcx), %rcx
	lea	(%rdx,%r8), %rdx
	lea	(%rdx,%r9), %r9
	lea	1(%rdx,%rcx), %r8
	lea	-3(%r10), %r10
	je	9f
	test	%r10, %r10
	jne	1b
9:	lea	(%rdi,%rcx), %rax
	lea	(%rax,%r9), %rax
	ret
	.cfi_endproc
	.size	rounds, .-rounds
	.section .note.GNU-stack,"",@progbits
