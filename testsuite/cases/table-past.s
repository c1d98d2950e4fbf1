# Entries of a table that are never used lead behind the function, to the next one, whose address is thereby not taken:
# what is live behind the call by a pointer is not live where that one returns.
# hazard: entry behind the function.
//# targets: x86_64; it is assembly
//# stdout: 7 13
	.macro	function name
	.type	\name, @function
\name:	.cfi_startproc
	.endm
	.macro	ends name
	.cfi_endproc
	.size	\name, . - \name
	.endm
	.text
	.globl	main
	function main
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	$1, %edi
	call	pick
	mov	%eax, %edi
	call	next
	mov	%eax, %ebx
	mov	$7, %esi
	call	*pointer(%rip)
	lea	format(%rip), %rdi
	mov	%ebx, %edx
	xor	%eax, %eax
	call	printf@PLT
	xor	%eax, %eax
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	ends	main
	function called
	incl	times(%rip)
	ret
	ends	called
	function pick
	mov	%edi, %edi
	lea	table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
.Lone:	mov	$3, %eax
	ret
.Ltwo:	mov	$5, %eax
	ret
	ends	pick
	function next
	test	%edi, %edi
	je	1f
	mov	$8, %eax
1:	mov	$1, %esi
	add	%edi, %eax
	ret
	ends	next
	.section .rodata
	.balign	4
table:	.long	.Lone - table, .Ltwo - table, next - table, next - table
format:	.string	"%d %d\n"
	.data
	.balign	8
pointer:
	.quad	called
times:	.long	0
	.section .note.GNU-stack, "", @progbits
