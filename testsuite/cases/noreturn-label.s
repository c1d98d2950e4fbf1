// A register holds a function's address in front of a call that never returns, and a number on the
// path that joins behind the call: no distance is added to the address.
// hazard: function that never returns.
//# targets: aarch64; it is assembly
//# stdout: 47
	.macro	function name
	.section .text.\name, "ax"
	.type	\name, %function
\name:	.cfi_startproc
	.endm
	.macro	ends name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	// never returns: its last call does not, nor does the function that it jumps to
	function dies
	tbz	w0, 0, 1f
	b	leaps
1:	bl	leaps
	ends	dies
	function leaps
	mov	w0, 3
	bl	exit
	ends	leaps
	function five
	mov	w0, 5
	ret
	ends	five

	function number
	stp	x29, x30, [sp, -32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	str	x19, [sp, 16]
	.cfi_offset 19, -16
	mov	x19, x0
	cbnz	x0, 1f
	adrp	x19, five
	add	x19, x19, :lo12:five
	blr	x19
	bl	dies
1:	add	x19, x19, 40
	bl	five
	add	x0, x19, x0
	ldr	x19, [sp, 16]
	ldp	x29, x30, [sp], 32
	ret
	ends	number

	.globl	main
	function main
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x0, 2
	bl	number
	mov	w1, w0
	adrp	x0, .Lform
	add	x0, x0, :lo12:.Lform
	bl	printf
	ldp	x29, x30, [sp], 16
	mov	w0, 0
	ret
	ends	main
	.section .rodata
.Lform:	.asciz	"%d\n"
	.section .note.GNU-stack, "", %progbits
