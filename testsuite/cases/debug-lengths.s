# gas writes the lengths of functions, and the reference of each to one type, as short as they are:
# the entries grow with the code, and the type's offset with them, from one byte to two.
# hazard: length that outgrows its form.
//# cflags: -g
//# stdout: 225
	.macro function name
	.globl \name
	.type \name, @function
\name:	add %eax, %esi
	.rept 6
	test %eax, %eax
	jz 2f
	test $1, %al
	jnz 2f
2:
	.endr
	ret
	.size \name, . - \name
	.endm
	.section .text.functions, "ax", @progbits
	.irp f, one, two, three, four, five
	function \f
	.endr
	.text
	.globl main
	.type main, @function
main:	sub $8, %rsp
	xor %esi, %esi
	xor %eax, %eax
1:	.irp f, one, two, three, four, five
	call \f
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
