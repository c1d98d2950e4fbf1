# What the last link deletes bytes of: labels, alignment and halves of addresses keep their places.
# hazard: symbols of code that is relaxed.
# hazard: label of the other half.  The loop's label is the auipc that pcrel_lo names in another block.
# hazard: alignment by the linker.  The no-ops in front of the loop are behind a counter.
# hazard: fall over alignment.  first() runs into them and into second().
# hazard: advance of six bits.  The rows of main are 60 bytes apart, with calls between them.
#//# targets: riscv64; other linkers delete nothing
#//# oracle: noinsns
#//# stdout: 30
#//# stdout: 33
	.text
	.globl main
	.type main, @function
main:
	.cfi_startproc
	addi sp, sp, -32
	.cfi_def_cfa_offset 32
	sd ra, 24(sp)
	.cfi_offset ra, -8
	sd s0, 16(sp)
	sd s1, 8(sp)
	li s0, 10
	li s1, 0
	mv a2, a0
	mv a3, a0
	j 2f
	.balign 8
.Lloop:	auipc a5, %pcrel_hi(three)
	beqz s0, .Lout
	lw a4, %pcrel_lo(.Lloop)(a5)
	addw s1, s1, a4
	addi s0, s0, -1
2:	bnez s0, .Lloop
	j .Lloop
.Lout:	mv a1, s1
	lla a0, format
	call printf
	mv a0, s1
	call first
	mv a1, a0
	lla a0, format
	call printf
	li a0, 0
	ld ra, 24(sp)
	ld s0, 16(sp)
	ld s1, 8(sp)
	addi sp, sp, 32
	.cfi_restore ra
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size main, . - main

	.type first, @function
first:	addi a0, a0, 1
	.size first, . - first
	.balign 16
	.type second, @function
second:	addi a0, a0, 2
	ret
	.size second, . - second

	.section .rodata
format:	.string "%d\n"
	.balign 4
three:	.word 3
	.section .note.GNU-stack, "", @progbits
