# An absolute address in the code of a PIE: a relocation at run time in the text, as GNU ld allows.
//# ldflags: -pie -Wl,-z,notext
//# stdout: 1
//# stderr: any
	.text
	.globl main
	.type main, @function
main:
	subq $8, %rsp
	movabsq $main, %rax
	leaq main(%rip), %rcx
	xorl %esi, %esi
	cmpq %rax, %rcx
	sete %sil
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
