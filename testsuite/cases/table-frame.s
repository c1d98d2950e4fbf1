# Two jump tables: the base of one is in the frame, the other one's register has the address of a
# function where that leads, and a call that does not return is in front of the first one's loop.  There
# are many blocks between the base and its jump, whose delay slot makes an address.
# hazard: two jump tables.
#//# targets: mips64el; it is assembly
#//# stdout: 88440
	.abicalls
	.text
	.macro	function name
	.align	3
	.ent	\name
	.type	\name, @function
\name:
	.endm
	.macro	ends name
	.end	\name
	.size	\name, . - \name
	.endm
	.macro	address reg, label
	ld	\reg, %got_page(\label)($gp)
	daddiu	\reg, \reg, %got_ofst(\label)
	.endm
	.macro	calls name
	ld	$25, %got_disp(\name)($gp)
	.reloc	9f, R_MIPS_JALR, \name
9:	jalr	$25
	.endm
	# go to the entry of the letter at $s0
	.macro	switch base, other, slot=nop
	lbu	$2, 0($16)
	daddiu	$16, $16, 1
	addiu	$2, $2, -97
	sltiu	$4, $2, 3
	beqz	$4, \other
	dsll	$2, $2, 3
	daddu	$2, \base, $2
	ld	$2, 0($2)
	daddu	$2, $2, $gp
	.set	noreorder
	jr	$2
	\slot
	.set	reorder
	.endm

	function save
	daddiu	$2, $4, 1000
	jr	$31
	ends	save

	function fail
	daddiu	$sp, $sp, -16
	.cpsetup $25, 0, fail
	li	$4, 1
	calls	exit
	ends	fail

	function scan
	daddiu	$sp, $sp, -80
	.cpsetup $25, 64, scan
	sd	$31, 72($sp)
	sd	$16, 56($sp)
	sd	$17, 48($sp)
	sd	$18, 40($sp)
	move	$16, $4
	move	$18, $0
	address	$17, .Lfirst
	b	1f
.Lbad:	calls	fail
1:	switch	$17, .Ldone
.Lone:	daddiu	$18, $18, 1
	b	1b
.Lten:	daddiu	$18, $18, 10
	b	1b
.Ltext:	address	$17, save
	address	$2, .Lsecond
	sd	$2, 16($sp)
2:	.rept	200
	beq	$16, $18, 9f
	move	$5, $18
9:
	.endr
	ld	$3, 16($sp)
	ld	$25, %got_page(save)($gp)
	switch	$3, .Lbad, "daddiu $25, $25, %got_ofst(save)"
.Lcall:	move	$4, $18
	jalr	$25
	move	$18, $2
	move	$4, $18
	move	$25, $17
	jalr	$25
	move	$18, $2
	b	2b
.Lmore:	daddiu	$18, $18, 100
	b	2b
.Ldone:	move	$2, $18
	ld	$31, 72($sp)
	ld	$16, 56($sp)
	ld	$17, 48($sp)
	ld	$18, 40($sp)
	.cpreturn
	daddiu	$sp, $sp, 80
	jr	$31
	ends	scan

	.globl	main
	function main
	daddiu	$sp, $sp, -32
	.cpsetup $25, 8, main
	sd	$31, 16($sp)
	sd	$16, 0($sp)
	sd	$17, 24($sp)
	li	$16, 40
	move	$17, $0
1:	address	$4, .Lword
	calls	scan
	daddu	$17, $17, $2
	daddiu	$16, $16, -1
	bnez	$16, 1b
	address	$4, .Lform
	move	$5, $17
	calls	printf
	move	$2, $0
	ld	$31, 16($sp)
	ld	$16, 0($sp)
	ld	$17, 24($sp)
	.cpreturn
	daddiu	$sp, $sp, 32
	jr	$31
	ends	main

	.section .rodata
	.align	3
.Lfirst: .gpdword .Lone
	.gpdword .Lten
	.gpdword .Ltext
.Lsecond: .gpdword .Lcall
	.gpdword .Lmore
	.gpdword .Ldone
.Lword:	.asciz	"abcabbc"
.Lform:	.asciz	"%ld\n"
	.section .note.GNU-stack, "", %progbits
