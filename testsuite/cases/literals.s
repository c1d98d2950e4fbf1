// Constants of AArch64 in text, read by ldr of a literal: behind the function, in its size, between
// two functions and shared by them; and in a section of their own.
// hazard: data in text.
//# targets: aarch64; it is assembly
//# stdout: 1144201745 305419896 42 42 7
//# opaque: inside
	.macro	function name
	.globl	\name
	.type	\name, %function
\name:	.cfi_startproc
	.endm
	.macro	ends name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	// its size covers the pool
	.section .text.inside, "ax"
	function inside
	ldr	w0, =0x44332211
	cbnz	w0, 1f
	mov	w0, 0
1:	ret
	.ltorg
	ends	inside

	// the pool is behind it
	.section .text.behind, "ax"
	function behind
	ldr	w0, =0x12345678
	cbnz	w0, 1f
	mov	w0, 0
1:	ret
	ends	behind
	.ltorg

	// a pool between functions, one word an address
	.section .text.shared, "ax"
	function first
	ldr	x0, .Lpool
	ldr	w0, [x0]
	ret
	ends	first
	.p2align 3
.Lpool:	.xword	number
	function second
	cbnz	w0, 1f
	nop
1:	ldr	x0, .Lpool
	ldr	w0, [x0]
	ret
	ends	second

	// code and data in turns, in another section
	.section .text.apart, "ax"
	.word	7
.Lfar:	.word	7
	.section .text.apart
	function apart
	cbz	w0, 1f
	ldr	w0, .Lfar
1:	ret
	ends	apart

	.text
	function main
	stp	x29, x30, [sp, -48]!
	.cfi_def_cfa_offset 48
	.cfi_offset 29, -48
	.cfi_offset 30, -40
	stp	x19, x20, [sp, 16]
	stp	x21, x22, [sp, 32]
	bl	inside
	mov	w19, w0
	bl	behind
	mov	w20, w0
	bl	first
	mov	w21, w0
	bl	second
	mov	w22, w0
	mov	w0, 1
	bl	apart
	mov	w5, w0
	mov	w1, w19
	mov	w2, w20
	mov	w3, w21
	mov	w4, w22
	adrp	x0, .Lform
	add	x0, x0, :lo12:.Lform
	bl	printf
	mov	w0, 0
	ldp	x19, x20, [sp, 16]
	ldp	x21, x22, [sp, 32]
	ldp	x29, x30, [sp], 48
	ret
	ends	main
	.data
number:	.word	42
	.section .rodata
.Lform:	.asciz	"%d %d %d %d %d\n"
	.section .note.GNU-stack, "", %progbits
