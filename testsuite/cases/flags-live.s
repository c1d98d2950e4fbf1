# Flags that live into blocks: cmp; ja; je chains, adc loops, flags kept over a jump, setcc.
# hazard: live flags.
//# stdout: 3135 18446744073709551615 12
//# report: chain 60
	.text
	.globl chain
	.type chain, @function
chain:				# 1 below, 2 above, 3 equal to 30
	cmpl $30, %edi
	ja 1f
	je 2f
	movl $1, %eax
	ret
1:	movl $2, %eax
	ret
2:	movl $3, %eax
	ret
	.size chain, .-chain

	.globl addn
	.type addn, @function
addn:				# (rdi) += (rsi), edx words, carry through the loop
	clc
1:	movq (%rsi), %rax
	adcq %rax, (%rdi)
	leaq 8(%rsi), %rsi
	leaq 8(%rdi), %rdi
	decl %edx
	jnz 1b
	sbbq %rax, %rax
	ret
	.size addn, .-addn

	.globl kept
	.type kept, @function
kept:				# the flags of the first line decide in three other blocks
	subl $5, %edi
	jmp 1f
2:	setns %al
	movzbl %al, %eax
	js 3f
	leal 10(%rax), %eax
3:	adcl $1, %eax
	ret
1:	movl $0, %eax
	jnp 2b
	jmp 2b
	.size kept, .-kept

	.globl main
	.type main, @function
main:
	pushq %rbx
	pushq %rbp
	subq $8, %rsp
	xorl %ebx, %ebx
	xorl %ebp, %ebp
1:	movl %ebx, %edi
	call chain
	imull %ebx, %eax
	addl %eax, %ebp
	incl %ebx
	cmpl $60, %ebx
	jb 1b
	leaq a(%rip), %rdi
	leaq b(%rip), %rsi
	movl $3, %edx
	call addn
	movl $7, %edi
	call kept
	movl %eax, %ecx
	leaq a(%rip), %rdx
	movq 8(%rdx), %rdx
	movl %ebp, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	addq $8, %rsp
	popq %rbp
	popq %rbx
	ret
	.size main, .-main
	.data
	.balign 8
a:	.quad -1, -2, 5
b:	.quad 1, 0, 7
	.section .rodata
format:	.string "%d %lu %d\n"
	.section .note.GNU-stack, "", @progbits
