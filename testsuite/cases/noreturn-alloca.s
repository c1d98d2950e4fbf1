# A function that never returns and moves its stack pointer by a variable; the code behind its call, which another path
# leads to, reads the flags.  It has no return that could lead into any function whose address is taken.
# hazard: function that never returns.
//# targets: x86_64; it is assembly
//# stdout: 7
	.macro	function name
	.type	\name, @function
\name:	.cfi_startproc
	.endm
	.macro	ends name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	function dies
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	and	$-16, %rdi
	sub	%rdi, %rsp
	mov	$3, %edi
	call	exit
	ends	dies

	function chosen
	test	%edi, %edi
	jne	1f
	mov	$5, %eax
	ret
1:	mov	$7, %eax
	ret
	ends	chosen

	function compare
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	cmp	$1, %edi
	je	2f
	ja	1f
	mov	$64, %edi
	call	dies
2:	jbe	3f
1:	xor	%eax, %eax
	add	$8, %rsp
	ret
3:	mov	$1, %eax
	add	$8, %rsp
	ret
	ends	compare

	.globl	main
	function main
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	$1, %edi
	call	compare
	mov	%eax, %edi
	mov	function(%rip), %rbx
	call	*%rbx
	mov	%eax, %esi
	lea	form(%rip), %rdi
	xor	%eax, %eax
	call	printf@PLT
	xor	%eax, %eax
	pop	%rbx
	ret
	ends	main
	.section .data.rel.ro, "aw"
function: .quad	chosen
	.section .rodata
form:	.asciz	"%d\n"
	.section .note.GNU-stack, "", @progbits
