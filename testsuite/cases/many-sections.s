# 70,000 sections: more than fit into e_shnum.
//# cc: gcc
//# stdout: 70000
//# report: main 1
	.altmacro
	.macro function n
	.section .text.f\n, "ax", @progbits
	incl %eax
	ret
	.endm
	.set i, 0
	.rept 70000
	function %i
	.set i, i + 1
	.endr
	.text
	.globl main
	.type main, @function
main:
	subq $8, %rsp
	movl $70000, %esi
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
