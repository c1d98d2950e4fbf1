# Data in front of a section's first function and behind its last, some of which reads as calls by address.
# hazard: data in text.
//# stdout: 7
	.section .text.add, "ax"
	.globl table
	.type table, @object
	.p2align 4
table:				# no instruction; call *%rax; mov %r11, (%rdi); ret
	.byte 0x06, 0xff, 0xd0, 0x4c
.Lconstant:
	.byte 0x89, 0x1f, 0xc3
	.size table, . - table
	.p2align 4
	.globl add
	.type add, @function
add:
	lea .Lconstant(%rip), %rax
	movzbl (%rax), %eax	# 0x89
	add %edi, %eax
	js 1f
	sub $0x89, %eax
1:	ret
	.size add, . - add
	.section .text.main, "ax"
	.globl main
	.type main, @function
main:
	push %rbx
	mov $7, %edi
	lea add(%rip), %rbx
	call *%rbx
	mov %eax, %esi
	lea format(%rip), %rdi
	xor %eax, %eax
	call printf@PLT
	xor %eax, %eax
	pop %rbx
	ret
	.size main, . - main
	.type behind, @object
behind:				# as table
	.byte 0x06, 0xff, 0xd0, 0x4c, 0x89, 0x1f, 0xc3
	.size behind, . - behind
	.section .rodata.str, "aMS", @progbits, 1
format:	.asciz "%d\n"
	.section .note.GNU-stack, "", @progbits
