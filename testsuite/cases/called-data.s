/*
 * hazard: data in text.  Constants in front of a function look like instructions that fall into it, and like calls: calls
 * are not all that tells how often it is entered.
 */
//# targets: x86_64
//# stdout: 5
	.text
numbers: .byte 3, 2, 0, 0, 0, 0
	.byte 0xe8
	.long numbers - . - 4
	.byte 0x0e, 0x0f, 0x0f, 0x0f, 0x0f
	nopl	(%rax)
	.type	leaf, @function
leaf:	movzbl	numbers(%rip), %eax
	movzbl	numbers+1(%rip), %ecx
	addl	%ecx, %eax
	ret
	.size	leaf, . - leaf
	.section .text.main, "ax", @progbits
	.globl	main
	.type	main, @function
main:	pushq	%rbx
	call	leaf
	movl	%eax, %esi
	call	leaf
	cmpl	%eax, %esi
	jne	1f
	leaq	format(%rip), %rdi
	xorl	%eax, %eax
	call	printf@plt
	xorl	%eax, %eax
1:	popq	%rbx
	ret
	.size	main, . - main
	.section .rodata
format:	.string	"%d\n"
	.section .note.GNU-stack, "", @progbits
