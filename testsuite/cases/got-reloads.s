# Twelve switches, and fifty places in a function of two thousand blocks that load the GOT's address again, as clang -O1
# compiles an interpreter: each switch leads back to all of these.
# hazard: hoisted table base.
#//# targets: mips; it is assembly
#//# stdout: 668
	.abicalls
	.option	pic2
	.set	noreorder
	.set	noat
	.text
	.align	2
	.ent	run
	.type	run, @function
run:	lui	$2, %hi(_gp_disp)
	addiu	$2, $2, %lo(_gp_disp)
	addiu	$sp, $sp, -48
	sw	$31, 44($sp)
	sw	$23, 40($sp)
	sw	$17, 36($sp)
	sw	$16, 32($sp)
	addu	$23, $2, $25
	sw	$23, 24($sp)
	move	$17, $0
	b	.Lnext
	li	$16, 13
	.altmacro
	.macro	some
	.rept	40
	bnez	$16, 1f
	nop
	addiu	$17, $17, 100
1:
	.endr
	.endm
	.macro	change n
	li	$23, \n
	addu	$17, $17, $23
	some
	b	.Lnext
	lw	$23, 24($sp)
	.endm
	.macro	switch n
.Lswitch\n:	andi	$2, $16, 1
	sll	$2, $2, 2
	lw	$5, %got(.Ltable\n)($23)
	addu	$2, $2, $5
	lw	$2, %lo(.Ltable\n)($2)
	addu	$2, $2, $23
	jr	$2
	nop
.Lodd\n:	change	1
.Leven\n:	change	2
	.section .rodata
	.align	2
.Ltable\n: .gpword	.Leven\n
	.gpword	.Lodd\n
	.text
	.endm
.Lnext:	addiu	$16, $16, -1
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	li	$2, \n
	beq	$16, $2, .Lswitch\n
	nop
	.endr
	.rept	26
	b	2f
	li	$23, 25
3:	b	.Lnext
	lw	$23, 24($sp)
2:	addu	$17, $17, $23
	bltz	$17, 3b
	nop
	lw	$23, 24($sp)
	.endr
	move	$2, $17
	lw	$31, 44($sp)
	lw	$23, 40($sp)
	lw	$17, 36($sp)
	lw	$16, 32($sp)
	jr	$31
	addiu	$sp, $sp, 48
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	switch	\n
	.endr
	.end	run
	.size	run, . - run

	.globl	main
	.ent	main
	.type	main, @function
main:	lui	$28, %hi(_gp_disp)
	addiu	$28, $28, %lo(_gp_disp)
	addu	$28, $28, $25
	addiu	$sp, $sp, -32
	sw	$31, 28($sp)
	sw	$28, 16($sp)
	lw	$25, %got(run)($28)
	addiu	$25, $25, %lo(run)
	jalr	$25
	nop
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
.Lform:	.asciz	"%d\n"
	.section .note.GNU-stack, "", @progbits
