// A computed call may lead to no-ops with a label of their own (on RISC-V $x of a .balign is one):
// they read nothing, and the function behind them reads no more than it does.
//# dump: blocks liveness
	.section .text.padded, "ax"
pad:	nop
	nop
	.globl	f
	.type	f, @function
f:	ud2
	.size	f, . - f
	.text
	.globl	g
	.type	g, @function
g:	lea	f(%rip), %rax
	add	%rdi, %rax
	call	*%rax
	ret
	.size	g, . - g
	.section .note.GNU-stack
