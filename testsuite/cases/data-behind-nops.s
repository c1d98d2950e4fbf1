# Unreached bytes that do not decode, between a no-op and an aligned function.
# hazard: unreached bytes.
//# stdout: 6
	.text
	.p2align 4
	.globl six
	.type six, @function
six:
	movl $6, %eax
	ret
	nop
	.size six, .-six
	.byte 0x06, 0x07, 0x0e, 0x16, 0x17
	.p2align 4, 0x1f
	.globl main
	.type main, @function
main:
	subq $8, %rsp
	call six
	movl %eax, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	addq $8, %rsp
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d\n"
	.section .note.GNU-stack, "", @progbits
