# Prefixes, string instructions at block starts, long nops, alignment inside a function.
# hazard: foreign calling convention.
//# stdout: 1000 aaaa 3
	.text
	.globl fill
	.type fill, @function
fill:
	testl %edx, %edx
	je 1f
	movl %esi, %eax
	movl %edx, %ecx
2:	rep stosb
1:	ret
	.size fill, .-fill
	.globl spin
	.type spin, @function
spin:
	xorl %eax, %eax
	.p2align 6,,63
1:	addl $1, %eax
	pause
	nopw 512(%rax, %rax, 1)
	cmpl %edi, %eax
	.p2align 3
	jne 1b
	rep ret
	.size spin, .-spin
	.globl parity
	.type parity, @function
parity:				# far jumps over 200 bytes, 8-bit ones near their limit
	movl $3, %eax
	testb $1, %dil
	je 1f
	.rept 24
	nopl 0(%rax, %rax, 1)
	.endr
1:	jmp 2f
	.rept 120
	nop
	.endr
2:	ret
	.size parity, .-parity
	.globl main
	.type main, @function
main:
	pushq %rbx
	movl $1000, %edi
	call spin
	movl %eax, %ebx
	leaq buffer(%rip), %rdi
	movl $'a', %esi
	movl $4, %edx
	call fill
	movl $2, %edi
	call parity
	movl %eax, %ecx
	leaq buffer(%rip), %rdx
	movl %ebx, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.bss
buffer:	.zero 16
	.section .rodata
format:	.string "%d %s %d\n"
	.section .note.GNU-stack, "", @progbits
