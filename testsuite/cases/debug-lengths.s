# gas writes the lengths of functions as short as they are, and no entry of debug information grows:
# one that does not fit any more is left out, not all debug information.
//# cflags: -g
//# stdout: 45
	.text
	.globl main
	.type main, @function
main:
	sub $8, %rsp
	xor %esi, %esi
	xor %eax, %eax
1:	add %eax, %esi
	.rept 8
	test %eax, %eax
	jz 2f
	test $1, %al
	jnz 2f
2:
	.endr
	inc %eax
	cmp $10, %eax
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
