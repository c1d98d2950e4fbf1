# A landing pad behind a function's first instruction, a no-op after padding: two counters side by side,
# and the line's row belongs to the second.  gcc begins cold parts like this.
//# stdout: 7
	.file 1 "line-nop.c"
	.text
	.type nothing, @function
nothing:
	.loc 1 1
	ret
	.size nothing, . - nothing
	.p2align 1
	.type nothing.cold, @function
nothing.cold:
	.cfi_startproc
	.cfi_personality 0x9b, personality
	.cfi_lsda 0x1b, table
	.loc 1 3
	nop
.Lpad:	.loc 1 4
	mov %rax, %rdi
.Lfrom:	call abort@PLT
.Lto:	.cfi_endproc
	.size nothing.cold, . - nothing.cold
	.section .gcc_except_table, "a"
table:	.byte 0xff, 0xff, 1
	.uleb128 2f - 1f
1:	.uleb128 .Lfrom - nothing.cold, .Lto - .Lfrom, .Lpad - nothing.cold, 0
2:
	.text
	.globl main
	.type main, @function
main:
	.loc 1 8
	sub $8, %rsp
	mov $7, %esi
	lea format(%rip), %rdi
	xor %eax, %eax
	call printf@PLT
	.loc 1 9
	xor %eax, %eax
	add $8, %rsp
	ret
	.size main, . - main
	.section .data.rel.local, "aw"
	.p2align 3
personality: .quad __gcc_personality_v0
	.section .rodata.str, "aMS", @progbits, 1
format:	.asciz "%d\n"
	.section .note.GNU-stack, "", @progbits
