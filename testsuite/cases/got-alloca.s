# The address of a jump table is in a frame that has a pointer of its own, as in a function that calls alloca.
# hazard: address of a table in a frame with a pointer of its own.
#//# targets: mips mipsel; it is assembly
#//# stdout: 111
	.abicalls
	.option	pic2
	.set	noreorder
	.set	noat
	.text
	.align	2
	.ent	pick
	.type	pick, @function
pick:	lui	$gp, %hi(_gp_disp)
	addiu	$gp, $gp, %lo(_gp_disp)
	addu	$gp, $gp, $25
	addiu	$sp, $sp, -32
	sw	$30, 28($sp)
	move	$30, $sp
	lw	$5, %got(.Ltable)($gp)
	addiu	$5, $5, %lo(.Ltable)
	sw	$5, 16($30)
	addiu	$sp, $sp, -16
	sltiu	$1, $4, 3
	beqz	$1, 4f
	sll	$1, $4, 2
	lw	$5, 16($30)
	addu	$1, $5, $1
	lw	$1, 0($1)
	addu	$1, $1, $gp
	jr	$1
	nop
.Lone:	b	4f
	li	$2, 1
.Lten:	b	4f
	li	$2, 10
.Lmany:	li	$2, 100
4:	move	$sp, $30
	lw	$30, 28($sp)
	jr	$31
	addiu	$sp, $sp, 32
	.end	pick
	.size	pick, . - pick

	.globl	main
	.ent	main
	.type	main, @function
main:	lui	$gp, %hi(_gp_disp)
	addiu	$gp, $gp, %lo(_gp_disp)
	addu	$gp, $gp, $25
	addiu	$sp, $sp, -48
	sw	$31, 44($sp)
	sw	$gp, 16($sp)
	sw	$16, 40($sp)
	sw	$17, 36($sp)
	li	$16, 2
	move	$17, $0
1:	lw	$25, %got(pick)($gp)
	addiu	$25, $25, %lo(pick)
	jalr	$25
	move	$4, $16
	addu	$17, $17, $2
	bgtz	$16, 1b
	addiu	$16, $16, -1
	lw	$4, %got(.Lform)($gp)
	addiu	$4, $4, %lo(.Lform)
	lw	$25, %call16(printf)($gp)
	jalr	$25
	move	$5, $17
	lw	$31, 44($sp)
	lw	$16, 40($sp)
	lw	$17, 36($sp)
	move	$2, $0
	jr	$31
	addiu	$sp, $sp, 48
	.end	main
	.size	main, . - main
	.section .rodata
	.align	2
.Ltable: .gpword	.Lone
	.gpword	.Lten
	.gpword	.Lmany
.Lform:	.asciz	"%d\n"
	.section .note.GNU-stack, "", @progbits
