// As scaled-compared.s, but the branch that would bound the index may use other flags, or the index may have
// changed since it was compared.
//# targets: aarch64; it is assembly
//# stdout: 444
//# opaque: changed other partly called
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
.L\name: .hword	0, 2, 4, 0x4000 // the last one is none: only a compare would say so
	.endm

	// w0 stays what it is, but who knows
	function changed
	cmp	w0, 2
	b.gt	4f
	add	w0, w0, wzr
	b.hi	4f
	jump	changed

	function other
	cmp	w0, 2
	b.gt	4f
	cmp	w2, 2
	b.hi	4f
	jump	other

	function partly
	cbz	w2, 5f
	cmp	w0, 200
	b	6f
5:	cmp	w0, 2
	b.gt	4f
6:	b.hi	4f
	jump	partly

	function called
	mov	w9, w0
	mov	x10, x30
	cmp	w9, 2
	b.gt	4f
	bl	nothing
	mov	x30, x10
	b.hi	4f
	jump	called, w9

	function nothing
	ret
	.cfi_endproc
	.size	nothing, . - nothing

	.macro	sum name
	mov	w0, w20
	mov	w2, 0
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
	mov	w20, 0
1:	sum	changed
	sum	other
	sum	partly
	sum	called
	add	w20, w20, 1
	cmp	w20, 3
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
