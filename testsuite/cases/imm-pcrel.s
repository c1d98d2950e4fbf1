# %rip-relative operands with an immediate behind them: the addend is not -4.
# hazard: immediate behind a displacement.
//# stdout: 7 1 100000 12
	.text
	.globl main
	.type main, @function
main:
	pushq %rbx
	cmpl $5, local(%rip)
	jne 1f
	movl $7, local(%rip)
1:	cmpw $300, half(%rip)
	sete %bl
	movzbl %bl, %edx
	movl $100000, big(%rip)
	addb $2, byte(%rip)
	testl $1, local(%rip)
	je 2f
	shll $1, twelve(%rip)
2:	imull $2, six(%rip), %r8d
	movl local(%rip), %esi
	movl big(%rip), %ecx
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.data
	.balign 4
local:	.long 5
half:	.short 300, 0
big:	.long 0
byte:	.long 1
twelve:	.long 6
six:	.long 6
	.section .rodata
format:	.string "%d %d %d %d\n"
	.section .note.GNU-stack, "", @progbits
