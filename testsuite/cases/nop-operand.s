# No-ops with an operand the linker fills in are not padding, and their operands are right.
//# stdout: ok
	.text
	.globl	main
	.type	main, @function
main:	sub	$8, %rsp
	nopl	text(%rip)
	lea	text(%rip), %rdi
	call	puts@PLT
	jmp	1f
	nopw	text+1(%rip)
	.p2align 4
1:	nopl	main(%rip)
	xor	%eax, %eax
	add	$8, %rsp
	ret
	.size	main, .-main
	nopl	text(%rip)
	.p2align 4
	.section .rodata
text:	.asciz	"ok"
	.section .note.GNU-stack, "", @progbits
