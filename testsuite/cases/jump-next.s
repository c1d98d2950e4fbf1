# Jumps to what stands behind them, as clang -O0 makes them: like one over the code of an edge that
# was inserted in front of them.
//# stdout: 70
	.text
	.globl main
	.type main, @function
main:
	sub $8, %rsp
	xor %esi, %esi
	xor %eax, %eax
1:	inc %eax
	test $1, %al
	jz 2f
	test $2, %al
	jz 2f
	inc %esi
2:	jmp 3f
3:	inc %esi
	test $4, %al
	jz 4f
	test $8, %al
	jz 4f
	inc %esi
4:	jmp 5f
5:	jmp 6f
6:	test $5, %al
	jz 9f
	test $2, %al
	jnz 8f
	inc %esi
	test $16, %al
	jz 7f
	inc %esi
7:	jmp 8f
8:	jmp 9f
9:	cmp $3, %eax
	je 9f
	test $3, %al
	jg 9f
	cmp $16, %eax
	jg 9f
	inc %esi
	jmp 9f
9:	cmp $18, %eax
	je 6f
	cmp $19, %eax
	je 7f
	cmp $20, %eax
	je 8f
	cmp $21, %eax
	je 9f
	inc %esi
	jmp 9f
6:	jmp 9f
7:	jmp 9f
8:	jmp 9f
9:	cmp $24, %eax
	jne 1b
	lea format(%rip), %rdi
	xor %eax, %eax
	call printf@PLT
	xor %eax, %eax
	add $8, %rsp
	ret
	.size main, . - main
	.section .rodata.str, "aMS", @progbits, 1
format:	.asciz "%d\n"
	.section .note.GNU-stack, "", @progbits
