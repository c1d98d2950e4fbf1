// Tables of scaled distances whose index is compared in front of another branch than the one that
// bounds it.
// hazard: compare in front of several branches.
//# targets: aarch64; it is assembly
//# stdout: 6333
	.macro	function name
	.section .text.\name, "ax"
	.type	\name, %function
\name:	.cfi_startproc
	.endm
	.macro	jump name, index=w0
	adrp	x1, .L\name
	add	x1, x1, :lo12:.L\name
	ldrh	w0, [x1, \index, uxtw 1]
	adr	x1, 1f
	add	x0, x1, w0, sxth 2
	br	x0
1:	mov	w0, 1
	ret
2:	mov	w0, 10
	ret
3:	mov	w0, 100
	ret
4:	mov	w0, 1000
	ret
	.cfi_endproc
	.size	\name, . - \name
	.section .rodata
.L\name: .hword	0, 2, 4, 0x4000 // the last one is none: only a compare says so
	.endm

	// as gcc does where it divides many cases
	function signed
	cmp	w0, 2
	b.gt	4f
	b.hi	4f
	jump	signed

	// control comes to the branch by another one; what is compared is a copy
	function copied
	mov	w9, w0
	cmp	w0, 2
	b.le	5f
	b	4f
5:	b.ls	6f
	b	4f
6:	jump	copied, w9

	// two compares with the same number
	function joined
	tbz	w0, 31, 5f
	cmp	w0, 2
	b.eq	4f
	b	6f
5:	cmp	w0, 2
	b.gt	4f
6:	b.hi	4f
	jump	joined

	.macro	sum name
	mov	w0, w20
	bl	\name
	add	w21, w21, w0
	.endm
	.globl	main
	function main
	stp	x29, x30, [sp, -32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	stp	x20, x21, [sp, 16]
	mov	w21, 0
	mov	w20, -1
1:	sum	signed
	sum	copied
	sum	joined
	add	w20, w20, 1
	cmp	w20, 4
	b.lt	1b
	mov	w1, w21
	adrp	x0, .Lform
	add	x0, x0, :lo12:.Lform
	bl	printf
	ldp	x20, x21, [sp, 16]
	mov	w0, 0
	ldp	x29, x30, [sp], 32
	ret
	.cfi_endproc
	.size	main, . - main
	.section .rodata
.Lform:	.asciz	"%d\n"
	.section .note.GNU-stack, "", %progbits
