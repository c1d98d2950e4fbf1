# A length of 300 bytes in debug information is more than is written anew: the section is dropped.
//# cc: gcc
//# dropped: .debug_abbrev .debug_info .debug_line
//# stdout: 45
	.text
	.globl main
	.type main, @function
main:	sub $8, %rsp
	xor %esi, %esi
	xor %eax, %eax
1:	add %eax, %esi
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
	.section .debug_abbrev, "", @progbits
	.byte 1, 0x11, 0		# DW_TAG_compile_unit, without children
	.byte 0x11, 1			# DW_AT_low_pc, DW_FORM_addr
	.byte 0x12, 0xf			# DW_AT_high_pc, DW_FORM_udata
	.byte 0, 0, 0
	.section .debug_info, "", @progbits
	.long 3f - 2f
2:	.value 4
	.long .debug_abbrev
	.byte 8, 1
	.quad main
	.byte 0x80 | 38			# the length of main
	.fill 298, 1, 0x80
	.byte 0
3:	.section .rodata.str, "aMS", @progbits, 1
format:	.asciz "%d\n"
	.section .note.GNU-stack, "", @progbits
