# Loops whose rounds a register tells that they step: up, down, over two exits; and what only looks so.
//# insn: sub +%rdi,%(r..)\n[^\n]*sar +\$0x3,%\1\n[^\n]*sub +%\1,
//# insn: mov +%rax,%(r..)\n[^\n]*sub +\$0x1,%rax\n[^\n]*jne[^\n]*\n[^\n]*sub +%rax,%\1\n[^\n]*add +%\1,
	.macro	loop name:req, code:req
	.type	\name, @function
\name:	.cfi_startproc
	xor	%edx, %edx
	\code
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm
	.text
	loop	up, "lea 800(%rdi),%rsi; 1: add (%rdi),%rdx; je 2f; add $8,%rdi; cmp %rdi,%rsi; jne 1b; 2:"
	loop	down, "mov $77,%eax; 1: sub $1,%rax; jne 1b"
	loop	wraps, "mov $-5,%eax; 1: add $1,%eax; cmp $5,%eax; jne 1b"
	loop	over, "mov $-5,%rax; 1: lea 2(%rax),%rax; add %rax,%rdx; cmp $5,%rax; jne 1b"
	loop	arms, "mov $90,%eax; 1: test $2,%al; je 2f; inc %rdx; 2: lea -1(%rax),%rax; test %rax,%rax; jne 1b"
	loop	twice, "mov $90,%eax; 1: test $2,%al; je 2f; dec %rax; 2: dec %rax; test %rax,%rax; jg 1b"
	loop	three, "mov $90,%eax; 1: sub $3,%rax; jne 1b"
	loop	low, "mov $90,%eax; 1: sub $1,%rax; mov $0,%ah; test %rax,%rax; jne 1b"
	loop	stays, "mov $90,%eax; mov $1,%esi; 1: sub %rsi,%rax; jne 1b"
	loop	far, "mov $90,%eax; 1: lea array(%rip),%rsi; sub $1,%rax; jne 1b"

	.globl	main
	.type	main, @function
main:	.cfi_startproc
	push	%rbx
	.cfi_adjust_cfa_offset 8
	mov	$20, %ebx
1:	lea	array(%rip), %rdi
	call	up
	lea	16(%rdi), %rdi
	call	up
	.irp	name, down, wraps, over, arms, twice, three, low, stays, far
	call	\name
	.endr
	dec	%ebx
	jne	1b
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	xor	%eax, %eax
	ret
	.cfi_endproc
	.size	main, .-main
	.data
array:	.quad	1, 2, 3, 4, 5, -15, 7
	.fill	200, 8, 9
	.section .note.GNU-stack,"",@progbits
