# A branch never leads on to where a register that holds a function's address would be a counter: what it
# tests was set to 1 in front of it, as clang -O1 leaves it.
# hazard: path that is not taken.
#//# targets: mips mipsel; it is assembly
#//# stdout: 8
	.abicalls
	.option	pic2
	.set	noreorder
	.text
	.align	2
	.ent	one
	.type	one, @function
one:	jr	$31
	li	$2, 1
	.end	one
	.size	one, . - one

	.ent	walk
	.type	walk, @function
walk:	lui	$28, %hi(_gp_disp)
	addiu	$28, $28, %lo(_gp_disp)
	addu	$28, $28, $25
	addiu	$sp, $sp, -48
	sw	$31, 44($sp)
	sw	$28, 16($sp)
	sw	$18, 40($sp)
	sw	$17, 36($sp)
	sw	$16, 32($sp)
	move	$16, $4
	b	1f
	move	$17, $0
.Lcall:	lw	$18, %got(one)($28)
	addiu	$18, $18, %lo(one)
	move	$25, $18
	jalr	$25
	nop
	lw	$28, 16($sp)
	addu	$17, $17, $2
1:	lbu	$2, 0($16)
	addiu	$16, $16, 1
	beqz	$2, 9f
	li	$3, 97
	beq	$2, $3, .Lcall
	li	$3, 1
	sltiu	$4, $2, 99
	bnez	$4, 2f
	nop
	b	3f
	li	$18, 2
2:	beqz	$3, 3f
	move	$3, $0
	bnez	$3, 3f
	nop
	b	1b
	addiu	$17, $17, 2
3:	addiu	$17, $17, 1
	addiu	$18, $18, -1
	bnez	$18, 3b
	nop
	b	1b
	nop
9:	move	$2, $17
	lw	$31, 44($sp)
	lw	$18, 40($sp)
	lw	$17, 36($sp)
	lw	$16, 32($sp)
	jr	$31
	addiu	$sp, $sp, 48
	.end	walk
	.size	walk, . - walk

	.globl	main
	.ent	main
	.type	main, @function
main:	lui	$28, %hi(_gp_disp)
	addiu	$28, $28, %lo(_gp_disp)
	addu	$28, $28, $25
	addiu	$sp, $sp, -32
	sw	$31, 28($sp)
	sw	$28, 16($sp)
	lw	$4, %got(.Lword)($28)
	lw	$25, %got(walk)($28)
	addiu	$25, $25, %lo(walk)
	jalr	$25
	addiu	$4, $4, %lo(.Lword)
	lw	$28, 16($sp)
	lw	$4, %got(.Lform)($28)
	addiu	$4, $4, %lo(.Lform)
	lw	$25, %call16(printf)($28)
	jalr	$25
	move	$5, $2
	lw	$31, 28($sp)
	move	$2, $0
	jr	$31
	addiu	$sp, $sp, 32
	.end	main
	.size	main, . - main
	.section .rodata
.Lword:	.asciz	"abcab"
.Lform:	.asciz	"%d\n"
	.section .note.GNU-stack, "", @progbits
