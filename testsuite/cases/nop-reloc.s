# A no-op that a relocation names is an instruction like others, even where nothing leads to it.
//# stdout: 10
	.text
	.globl	main
	.type	main, @function
main:	push	%rbx
	mov	%edi, %ebx
	jmp	2f
	.reloc	., R_X86_64_NONE, main
	nopw	0(%rax,%rax)
1:	add	$3, %ebx
	cmp	$10, %ebx
	jg	3f
2:	mov	%ebx, %edi
	call	abs@PLT
	cmp	$5, %eax
	jl	1b
	cmp	$8, %ebx
	jl	1b
3:	lea	text(%rip), %rdi
	mov	%ebx, %esi
	xor	%eax, %eax
	call	printf@PLT
	xor	%eax, %eax
	pop	%rbx
	ret
	.size	main, .-main
	.section .rodata
text:	.asciz	"%d\n"
	.section .note.GNU-stack, "", @progbits
