# A jump by a table, with much code between the load from the table and the jump, in a function of many blocks.
# Another table has its address in the same register.
# Jumps to unknown places may lead to a function that reads other registers.
//# targets: x86_64; it is assembly
//# stdout: 45 47 49
	.macro	function name
	.type	\name, @function
\name:	.cfi_startproc
	.endm
	.macro	ends name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	function choose
	xor	%eax, %eax
	cmp	$2, %edi
	ja	.Lno
	mov	%edi, %edi
	lea	.Ltable(%rip), %rsi
	movslq	(%rsi,%rdi,4), %rdx
	add	%rsi, %rdx
	.rept	40
	inc	%eax
	.endr
	jmp	*%rdx
.Lzero:	.rept	20
	test	%eax, %eax
	js	1f
	inc	%ecx
1:
	.endr
	add	$5, %eax
	ret
.Lone:	add	$7, %eax
	ret
.Ltwo:	lea	.Lother(%rip), %rsi
	add	$9, %eax
.Lno:	ret
	ends	choose

	function other
	lea	(%r11,%r10), %rax
	ret
	ends	other

	.globl	main
	function main
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	push	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset %rbp, -24
	sub	$8, %rsp
	.cfi_def_cfa_offset 32
	xor	%edi, %edi
	call	choose
	mov	%eax, %ebx
	mov	$1, %edi
	call	choose
	mov	%eax, %ebp
	mov	$2, %edi
	call	choose
	mov	%eax, %ecx
	mov	%ebp, %edx
	mov	%ebx, %esi
	lea	form(%rip), %rdi
	xor	%eax, %eax
	call	printf@PLT
	xor	%eax, %eax
	add	$8, %rsp
	.cfi_def_cfa_offset 24
	pop	%rbp
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	ends	main
	.section .data.rel.ro, "aw"
	.quad	other
	.section .rodata
	.p2align 2
.Ltable: .long	.Lzero-.Ltable, .Lone-.Ltable, .Ltwo-.Ltable
.Lother: .long	other-.Lother
form:	.asciz	"%d %d %d\n"
	.section .note.GNU-stack, "", @progbits
