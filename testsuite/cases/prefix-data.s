# Bytes in front of an entry that callers read, as kcfi and -fsanitize=function have them.
# hazard: bytes in front of an entry.
//# stdout: 305419896 7
	.text
	.p2align 4
	.long 0x12345678
	.globl target
	.type target, @function
target:
	movl $7, %eax
	testl %edi, %edi
	je 1f
	movl $8, %eax
1:	ret
	.size target, .-target
	.globl main
	.type main, @function
main:
	pushq %rbx
	leaq target(%rip), %rbx
	xorl %edi, %edi
	call *%rbx
	movl %eax, %edx
	movl -4(%rbx), %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d %d\n"
	.section .note.GNU-stack, "", @progbits
