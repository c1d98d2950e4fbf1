# hazard: address of two instructions.  The first half of an address serves for a second time.
//# targets: riscv64; addresses of two instructions
//# cc: clang-19
//# cflags: -mno-relax
//# stdout: 5
//# opaque: main one
	.text
	.globl	main
	.type	main, @function
main:	addi	sp, sp, -16
	sd	ra, 8(sp)
	sd	s0, 0(sp)
	li	a0, 1
1:	auipc	s0, %pcrel_hi(one)
	addi	a1, s0, %pcrel_lo(1b)
	beqz	a0, 2f
	addi	s0, s0, %pcrel_lo(1b)
	jalr	a1
	jalr	s0
2:	call	two
	mv	a1, a0
	lla	a0, fmt
	call	printf
	li	a0, 0
	ld	s0, 0(sp)
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
	.size	main, . - main
	.type	one, @function
one:	beqz	a0, 1f
	addi	a0, a0, 1
1:	ret
	.size	one, . - one
	.type	two, @function
two:	beqz	a0, 1f
	addi	a0, a0, 2
1:	ret
	.size	two, . - two
	.section .rodata
fmt:	.string	"%d\n"
	.section .note.GNU-stack, "", @progbits
