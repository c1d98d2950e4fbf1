# What clang makes of a loop with a switch at -O0: short jumps in a row in front of a long one.
# And a long one that a relocation leads elsewhere: without it, it leads to the next instruction.
//# stdout: 6
	.text
	.globl main
	.type main, @function
main:
	pushq %rbx
	xorl %ebx, %ebx
	xorl %ecx, %ecx
1:	cmpl $9, %ecx
	jae 9f
	.fill 130, 1, 0x90	# so that the jump back is long
	incl %ecx
	testl $1, %ecx
	je 2f
	testl $2, %ecx
	je 3f
	incl %ebx
	jmp 2f
3:	incl %ebx
	cmpl $1, %ecx
	jne 4f
	incl %ebx
	jmp 2f
2:	jmp 4f
4:	jmp 1b
9:	movl %ebx, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	movl %ebx, %edi
	call tail
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.type tail, @function
tail:	cmpl $7, %edi
	je 1f
	jb 2f
	ret
1:	incl %edi
	cmpl $3, %edi
	je 2f
	ret
2:	jmp abs@PLT
	.size tail, .-tail
	.section .rodata
format:	.string "%d\n"
	.section .note.GNU-stack, "", @progbits
