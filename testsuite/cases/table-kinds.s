// An interpreter that jumps by a table of addresses, and has switches whose labels only these lead to.
// hazard: two kinds of tables.
//# targets: aarch64; it is assembly
//# stdout: 24
	.macro	next
	ldrb	w5, [x0], 1
	ldr	x6, [x4, w5, uxtw 3]
	br	x6
	.endm
	.macro	switch table, base, other, page, entry
	ldrb	w5, [x0], 1
	cmp	w5, 1
	b.hi	.Lend
	adrp	\page, \table
	add	\page, \page, :lo12:\table
	ldrb	\entry, [\page, w5, uxtw]
	adr	\other, \base
	add	\other, \other, \entry, sxtb 2
	br	\other
	.endm
	.text
	.type	run, %function
run:	.cfi_startproc
	adrp	x4, .Laddresses
	add	x4, x4, :lo12:.Laddresses
	mov	w7, 0
	next
.Lone:	add	w7, w7, 1
	next
.Lfirst:
	switch	.Ltable1, .Lbase1, x1, x9, w10
.Lbase1:
.Lten:	add	w7, w7, 10
	next
.Ltwo:	add	w7, w7, 2
	next
.Lsecond:
	mov	w10, 3
	switch	.Ltable2, .Lbase2, x1, x11, w12
.Lbase2:
.Lmore:	add	w7, w7, w10
	next
.Ltwice:
	add	w7, w7, w10, lsl 1
	next
.Lend:	mov	w0, w7
	ret
	.cfi_endproc
	.size	run, . - run
	.globl	main
	.type	main, %function
main:	.cfi_startproc
	stp	x29, x30, [sp, -16]!
	adrp	x0, .Lprogram
	add	x0, x0, :lo12:.Lprogram
	bl	run
	mov	w1, w0
	adrp	x0, .Lformat
	add	x0, x0, :lo12:.Lformat
	bl	printf
	mov	w0, 0
	ldp	x29, x30, [sp], 16
	ret
	.cfi_endproc
	.size	main, . - main
	.section .data.rel.ro, "aw"
	.balign	8
.Laddresses:
	.xword	.Lone, .Lfirst, .Lsecond, .Lend
	.section .rodata
.Ltable1:
	.byte	(.Lten - .Lbase1) / 4, (.Ltwo - .Lbase1) / 4
.Ltable2:
	.byte	(.Lmore - .Lbase2) / 4, (.Ltwice - .Lbase2) / 4
.Lprogram:
	.byte	0, 1, 0, 1, 1, 2, 0, 2, 1, 0, 0, 3
.Lformat:
	.string	"%d\n"
	.section .note.GNU-stack, "", %progbits
