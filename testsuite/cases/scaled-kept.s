// Tables of scaled distances whose address is kept: over a return in between, in a register that callees
// spare, in the frame; bounded
// by a copy of the index; tables whose address a call or a return may pass on, so that the load makes
// its own; one whose address is made twice; tables whose index is not bounded, or by a compare of half
// of it, and which end where the next one begins; and tables that are not proved: an address in the
// frame that somebody else may change, no register for an own address.
// hazard: address of a table in the frame.
// hazard: address of a table made twice.
//# targets: aarch64; it is assembly
//# stdout: 202807
//# opaque: given before
	.macro	function name
	.section .text.\name, "ax"
	.type	\name, %function
\name:	.cfi_startproc
	.endm
	.macro	arms
1:	mov	w0, 1
	b	4f
2:	mov	w0, 10
	b	4f
3:	mov	w0, 100
	.endm
	.macro	ends name
	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm

	// x19 has the address while the function is called back and returns in between
	function kept
	stp	x29, x30, [sp, -32]!
	str	x19, [sp, 16]
	adrp	x19, .Lkept
	add	x19, x19, :lo12:.Lkept
	bl	nothing
	cmp	w0, 2
	b.ls	5f
	ldr	x19, [sp, 16]
	ldp	x29, x30, [sp], 32
	ret
5:	ldrh	w0, [x19, w0, uxtw 1]
	adr	x1, 1f
	add	x0, x1, w0, sxth 2
	br	x0
	arms
4:	ldr	x19, [sp, 16]
	ldp	x29, x30, [sp], 32
	ends	kept
	.section .rodata
.Lkept:	.hword	0, 2, 4

	// x9 has the address over a call of a function that does not change it, nor does what that calls
	function spared
	stp	x29, x30, [sp, -16]!
	adrp	x9, .Lspared
	add	x9, x9, :lo12:.Lspared
	bl	sparing
	cmp	w0, 2
	b.hi	4f
	ldrh	w0, [x9, w0, uxtw 1]
	adr	x1, 1f
	add	x0, x1, w0, sxth 2
	br	x0
	arms
4:	ldp	x29, x30, [sp], 16
	ends	spared
	function sparing
	stp	x29, x30, [sp, -16]!
	mov	x10, x0
	bl	nothing
	ldp	x29, x30, [sp], 16
	ends	sparing
	.section .rodata
.Lspared:
	.hword	0, 2, 4

	// the frame has the address
	function slot
	stp	x29, x30, [sp, -32]!
	adrp	x9, .Lslot
	add	x9, x9, :lo12:.Lslot
	str	x9, [sp, 24]
	bl	nothing
	cmp	w0, 2
	b.hi	4f
	ldr	x1, [sp, 24]
	ldrh	w0, [x1, w0, uxtw 1]
	adr	x1, 1f
	add	x0, x1, w0, sxth 2
	br	x0
	arms
4:	ldp	x29, x30, [sp], 32
	ends	slot
	.section .rodata
.Lslot:	.hword	0, 2, 4

	// the index is a copy of what is compared
	function copy
	mov	w9, w0
	cmp	w0, 2
	b.hi	4f
	adrp	x1, .Lcopy
	add	x1, x1, :lo12:.Lcopy
	ldrh	w0, [x1, x9, lsl 1]
	adr	x1, 1f
	add	x0, x1, w0, sxth 2
	br	x0
	arms
4:	ends	copy
	.section .rodata
.Lcopy:	.hword	0, 2, 4, 0 // the last one is none, but leads into the function

	// the high half of the index may be anything
	function half
	cmp	w0, 2
	b.hi	4f
	adrp	x1, .Lhalf
	add	x1, x1, :lo12:.Lhalf
	ldrh	w0, [x1, x0, lsl 1]
	adr	x1, 1f
	add	x0, x1, w0, sxth 2
	br	x0
	arms
4:	ends	half
	.section .rodata
.Lhalf:	.hword	0, 2, 4

	// nothing() is given the address of the slot
	function given
	stp	x29, x30, [sp, -32]!
	adrp	x9, .Lgiven
	add	x9, x9, :lo12:.Lgiven
	str	x9, [sp, 24]
	add	x1, sp, 24
	bl	nothing
	cmp	w0, 2
	b.hi	4f
	ldr	x1, [sp, 24]
	ldrh	w0, [x1, w0, uxtw 1]
	adr	x1, 1f
	add	x0, x1, w0, sxth 2
	br	x0
	arms
4:	ldp	x29, x30, [sp], 32
	ends	given
	.section .rodata
.Lgiven: .hword	0, 2, 4

	// the address is in a register of results
	function result
	cmp	w0, 2
	b.hi	4f
	adrp	x1, .Lres
	add	x1, x1, :lo12:.Lres
	ldrh	w0, [x1, w0, uxtw 1]
	adr	x4, 1f
	add	x0, x4, w0, sxth 2
	br	x0
	arms
4:	ends	result
	.section .rodata
.Lres:	.hword	0, 2, 4

	// it is where nothing() may have an argument; the index is where the entry is
	function passed
	stp	x29, x30, [sp, -16]!
	adrp	x4, .Lpass
	add	x4, x4, :lo12:.Lpass
	cmp	w0, 2
	b.hi	5f
	ldrh	w0, [x4, w0, uxtw 1]
	adr	x5, 1f
	add	x0, x5, w0, sxth 2
	br	x0
	arms
5:	adr	x9, nothing
	blr	x9
4:	ldp	x29, x30, [sp], 16
	ends	passed
	.section .rodata
.Lpass:	.hword	0, 2, 4

	// the same, but the base is in use already
	function before
	stp	x29, x30, [sp, -16]!
	adrp	x4, .Lbef
	add	x4, x4, :lo12:.Lbef
	adr	x5, 1f
	cmp	w0, 2
	b.hi	5f
	ldrh	w0, [x4, w0, uxtw 1]
	add	x0, x5, w0, sxth 2
	br	x0
	arms
5:	adr	x9, nothing
	blr	x9
4:	ldp	x29, x30, [sp], 16
	ends	before
	.section .rodata
.Lbef:	.hword	0, 2, 4

	// a call that does not return, and padding, end the function while x19 has the address
	function last
	stp	x29, x30, [sp, -32]!
	str	x19, [sp, 16]
	adrp	x19, .Llast
	add	x19, x19, :lo12:.Llast
	cmp	w0, 2
	b.hi	6f
	ldrh	w0, [x19, w0, uxtw 1]
	adr	x1, 1f
	add	x0, x1, w0, sxth 2
	br	x0
	arms
4:	ldr	x19, [sp, 16]
	ldp	x29, x30, [sp], 32
	ret
6:	bl	never
	.cfi_endproc
	.size	last, . - last
	.p2align 6
	.type	never, %function
never:	.cfi_startproc
	b	never
	ret
	ends	never
	.section .rodata
.Llast:	.hword	0, 2, 4

	// the address is made again behind a call, and is still there when the function is left for nothing()
	function again
	cmp	w0, 2
	b.hi	4f
	adrp	x2, .Lagain
	add	x2, x2, :lo12:.Lagain
	cbz	w0, 5f
	stp	x29, x30, [sp, -16]!
	adr	x9, nothing
	blr	x9
	ldp	x29, x30, [sp], 16
	adrp	x2, .Lagain
	add	x2, x2, :lo12:.Lagain
5:	ldrh	w3, [x2, w0, uxtw 1]
	adr	x1, 1f
	add	x0, x1, w3, sxth 2
	br	x0
	arms
4:	b	nothing
	.cfi_endproc
	.size	again, . - again
	.section .rodata
.Lagain: .hword	0, 2, 4

	function nothing
	ends	nothing

	.macro	sum name
	mov	x0, x20
	bl	\name
	add	w21, w21, w0
	.endm
	.globl	main
	function main
	stp	x29, x30, [sp, -48]!
	.cfi_def_cfa_offset 48
	.cfi_offset 29, -48
	.cfi_offset 30, -40
	stp	x20, x21, [sp, 16]
	str	x22, [sp, 32]
	mov	x20, 0
	mov	w21, 0
	mov	w22, 500
1:	sum	kept
	sum	spared
	sum	slot
	sum	copy
	sum	half
	sum	given
	sum	result
	sum	passed
	sum	before
	sum	last
	sum	again
	add	x20, x20, 1
	cmp	x20, 3
	csel	x20, xzr, x20, eq
	sub	w22, w22, 1
	cbnz	w22, 1b
	mov	w1, w21
	adrp	x0, .Lform
	add	x0, x0, :lo12:.Lform
	bl	printf
	ldp	x20, x21, [sp, 16]
	ldr	x22, [sp, 32]
	mov	w0, 0
	ldp	x29, x30, [sp], 48
	ends	main
	.section .rodata
.Lform:	.asciz	"%d\n"
	.section .note.GNU-stack, "", %progbits
