# An undecodable function is left as it is, not an error.
# hazard: unreached bytes.
//# opaque: strange
//# stdout: 5
	.text
	.globl strange
	.type strange, @function
strange:
	movl $5, %eax
	ret
	.byte 0x06, 0x07, 0x0e, 0x16	# no instructions in 64-bit mode
	.size strange, .-strange
	.globl main
	.type main, @function
main:
	subq $8, %rsp
	call strange
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
