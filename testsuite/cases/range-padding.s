# A lexical block of nothing but the padding in front of a loop, which is gone where the loop has
# become aligned without it: gcc's debug information has such blocks.
//# stdout: 45
	.text
	.globl main
	.type main, @function
main:
	sub $8, %rsp
	xor %esi, %esi
	xor %eax, %eax
	jmp .Lto
.Lfrom:	.p2align 4
.Lto:	add %eax, %esi
	inc %eax
	cmp $10, %eax
	jne .Lto
	lea format(%rip), %rdi
	xor %eax, %eax
	call printf@PLT
	xor %eax, %eax
	add $8, %rsp
	ret
.Lend:	.size main, . - main
	.section .rodata.str, "aMS", @progbits, 1
format:	.asciz "%d\n"
	.section .debug_abbrev, "", @progbits
	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0	# unit: low_pc addr, high_pc data8
	.byte 2, 0x0b, 0, 0x11, 1, 0x12, 7, 0, 0	# lexical block: the same
	.byte 0
	.section .debug_info, "", @progbits
	.long 2f - 1f
1:	.value 4
	.long .debug_abbrev
	.byte 8, 1
	.quad main, .Lend - main
	.byte 2
	.quad .Lfrom, .Lto - .Lfrom
	.byte 0
2:	.section .note.GNU-stack, "", @progbits
