# Flags that a function returns by way of others that it falls into, or jumps to.
# hazard: live flags.
//# stdout: 5 9
	.text
	.type below9, @function
below9:				# CF: edi is below 9
	movl $9, %eax
	jmp below
	.size below9, .-below9
	.type below5, @function
below5:
	movl $5, %eax
	.size below5, .-below5
	.type below, @function
below:				# nobody calls it
	cmpl %eax, %edi
	js 1f
	ret
1:	ret
	.size below, .-below
	.globl main
	.type main, @function
main:
	pushq %rbx
	xorl %ebx, %ebx
	xorl %edi, %edi
1:	call below5
	adcl $0, %ebx
	call below9
	adcl $256, %ebx
	incl %edi
	cmpl $20, %edi
	jb 1b
	movzbl %bl, %edx
	leal -5(%rdx), %edx
	movl $5, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d %d\n"
	.section .note.GNU-stack, "", @progbits
