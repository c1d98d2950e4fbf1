# Jumps of 1 MB that counters make longer: they become auipc and jalr, where the register for it is dead.
# hazard: jump beyond 1 MB.
#//# targets: riscv64; jumps of others reach farther, or have a case of their own
#//# insn: jr	-?[0-9]+\(t1\)
#//# stdout: 10 250 55
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
	.cfi_offset s0, -16
	sd s1, 8(sp)
	.cfi_offset s1, -24
	sd s2, 0(sp)
	.cfi_offset s2, -32
	li s0, 10
	li s1, 0
	li s2, 0
.Lloop:	mv a0, s0
	jal called
	add s1, s1, a0
	mv a0, s0
	jal chosen
	add s1, s1, a0
	li a0, 0
	mv a1, s0
	jal passed
	add s2, s2, a0
	addi s0, s0, -1
	bnez s0, .Lloop
	li a1, 10
	mv a2, s1
	mv a3, s2
	lla a0, format
	call printf
	li a0, 0
	ld ra, 24(sp)
	ld s0, 16(sp)
	ld s1, 8(sp)
	ld s2, 0(sp)
	addi sp, sp, 32
	ret
	.cfi_endproc
	.size main, . - main

	.type chosen, @function
chosen:	andi a1, a0, 1
	beqz a1, even
	addi a0, a0, 1
	j odd
	.size chosen, . - chosen

# t1 is an argument: the jump to another section stays as it is.
	.section .text.passed, "ax", @progbits
	.type passed, @function
passed:	mv t1, a1
	j takes_t1
	.size passed, . - passed
	.section .text.near, "ax", @progbits
	.type takes_t1, @function
takes_t1:
	add a0, a0, t1
	ret
	.size takes_t1, . - takes_t1
	.text

	.type fill, @function
fill:	.rept 519000
	addi a0, a0, 1
	.endr
	.rept 200
	beqz a0, 1f
	addi a0, a0, 1
1:	addi a0, a0, 2
	.endr
	ret
	.size fill, . - fill

	.type called, @function
called:	slli a0, a0, 2
	ret
	.size called, . - called
	.type even, @function
even:	srai a0, a0, 1
	ret
	.size even, . - even
	.type odd, @function
odd:	srai a0, a0, 1
	ret
	.size odd, . - odd

	.section .rodata
format:	.string "%d %d %d\n"
	.section .note.GNU-stack, "", @progbits
