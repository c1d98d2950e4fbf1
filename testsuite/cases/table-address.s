# An interpreter that jumps by a table of addresses, with a switch by distances to the GOT: only that leads
# to its labels, where a register with the address of a function would be another one's.
# hazard: two kinds of tables.
#//# targets: mips mipsel; it is assembly
#//# stdout: 108
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

	.macro	next
	lbu	$2, 0($16)
	addiu	$16, $16, 1
	sll	$2, $2, 2
	lw	$3, %got(.Lops)($28)
	addiu	$3, $3, %lo(.Lops)
	addu	$2, $2, $3
	lw	$2, 0($2)
	jr	$2
	nop
	.endm
	.ent	run
	.type	run, @function
run:	lui	$28, %hi(_gp_disp)
	addiu	$28, $28, %lo(_gp_disp)
	addu	$28, $28, $25
	addiu	$sp, $sp, -48
	sw	$31, 44($sp)
	sw	$28, 16($sp)
	sw	$18, 40($sp)
	sw	$17, 36($sp)
	sw	$16, 32($sp)
	move	$16, $4
	move	$17, $0
	next
.Lcall:	lw	$18, %got(one)($28)
	addiu	$18, $18, %lo(one)
	move	$25, $18
	jalr	$25
	nop
	lw	$28, 16($sp)
	addu	$17, $17, $2
	next
.Ltest:	lbu	$2, 0($16)
	move	$18, $16
	addiu	$16, $16, 1
	sltiu	$3, $2, 2
	beqz	$3, .Lend
	sll	$2, $2, 2
	lw	$5, %got(.Lways)($28)
	addu	$2, $2, $5
	lw	$2, %lo(.Lways)($2)
	addu	$2, $2, $28
	jr	$2
	nop
.Lten:	addiu	$17, $17, 10
	next
.Lread:	lbu	$2, 0($18)
	addiu	$17, $17, 95
	addu	$17, $17, $2
	next
.Lend:	move	$2, $17
	lw	$31, 44($sp)
	lw	$18, 40($sp)
	lw	$17, 36($sp)
	lw	$16, 32($sp)
	jr	$31
	addiu	$sp, $sp, 48
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
	lw	$4, %got(.Lcode)($28)
	lw	$25, %got(run)($28)
	addiu	$25, $25, %lo(run)
	jalr	$25
	addiu	$4, $4, %lo(.Lcode)
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
	.section .data.rel.ro, "aw"
	.align	2
.Lops:	.word	.Lend, .Lcall, .Ltest
	.section .rodata
	.align	2
.Lways:	.gpword	.Lten
	.gpword	.Lread
.Lcode:	.byte	1, 2, 0, 1, 2, 1, 0
.Lform:	.asciz	"%d\n"
	.section .note.GNU-stack, "", @progbits
