# The GOT's address is in a register that the delay slot of one table's jump changes, and that of a call
# restores, as clang fills them.
# hazard: two jump tables.
#//# targets: mips mipsel; it is assembly
#//# stdout: 283
	.abicalls
	.option	pic2
	.set	noreorder
	.set	noat
	.text
	.align	2
	.ent	nothing
	.type	nothing, @function
nothing:
	jr	$31
	nop
	.end	nothing
	.size	nothing, . - nothing

	.ent	scan
	.type	scan, @function
scan:	lui	$2, %hi(_gp_disp)
	addiu	$2, $2, %lo(_gp_disp)
	addiu	$sp, $sp, -48
	sw	$31, 44($sp)
	sw	$23, 40($sp)
	sw	$22, 36($sp)
	sw	$16, 32($sp)
	sw	$17, 28($sp)
	addu	$23, $2, $25
	move	$22, $23
	move	$16, $4
	move	$17, $0
1:	lbu	$2, 0($16)
	addiu	$16, $16, 1
	addiu	$2, $2, -97
	sltiu	$3, $2, 3
	beqz	$3, 9f
	sll	$2, $2, 2
	lw	$5, %got(.Lfirst)($23)
	addu	$2, $2, $5
	lw	$2, %lo(.Lfirst)($2)
	addu	$2, $2, $23
	jr	$2
	nop
.Lone:	b	1b
	addiu	$17, $17, 1
.Ltext:	lbu	$2, 0($16)
	addiu	$16, $16, 1
	addiu	$2, $2, -97
	sltiu	$4, $2, 2
	beqz	$4, 9f
	sll	$2, $2, 2
	move	$3, $23
	lw	$5, %got(.Lsecond)($3)
	addu	$2, $2, $5
	lw	$2, %lo(.Lsecond)($2)
	addu	$2, $2, $3
	jr	$2
	li	$23, 50
.Lmany:	sll	$23, $23, 1
.Lfew:	addu	$17, $17, $23
	lw	$25, %got(nothing)($22)
	addiu	$25, $25, %lo(nothing)
	jalr	$25
	move	$23, $22
	b	1b
	nop
.Lten:	b	1b
	addiu	$17, $17, 10
9:	move	$2, $17
	lw	$31, 44($sp)
	lw	$23, 40($sp)
	lw	$22, 36($sp)
	lw	$16, 32($sp)
	lw	$17, 28($sp)
	jr	$31
	addiu	$sp, $sp, 48
	.end	scan
	.size	scan, . - scan

	.globl	main
	.ent	main
	.type	main, @function
main:	lui	$gp, %hi(_gp_disp)
	addiu	$gp, $gp, %lo(_gp_disp)
	addu	$gp, $gp, $25
	addiu	$sp, $sp, -32
	sw	$31, 28($sp)
	sw	$gp, 16($sp)
	lw	$4, %got(.Lword)($gp)
	lw	$25, %got(scan)($gp)
	addiu	$25, $25, %lo(scan)
	jalr	$25
	addiu	$4, $4, %lo(.Lword)
	lw	$gp, 16($sp)
	lw	$4, %got(.Lform)($gp)
	addiu	$4, $4, %lo(.Lform)
	lw	$25, %call16(printf)($gp)
	jalr	$25
	move	$5, $2
	lw	$31, 28($sp)
	move	$2, $0
	jr	$31
	addiu	$sp, $sp, 32
	.end	main
	.size	main, . - main
	.section .rodata
	.align	2
.Lfirst: .gpword	.Lone
	.gpword	.Lten
	.gpword	.Ltext
.Lsecond: .gpword	.Lfew
	.gpword	.Lmany
.Lword:	.asciz	"abcacbbcacaaba"
.Lform:	.asciz	"%d\n"
	.section .note.GNU-stack, "", @progbits
