// A function restores its stack pointer from a copy of a copy, as gnat's -O0 has it: it returns to its caller, and what
// it calls may change argument registers behind their use.
//# targets: aarch64; its instructions
//# status: 7
	.text
	.globl	main
	.type	main, %function
main:	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	stp	x21, x22, [sp, #16]
	mov	x1, sp
	mov	x22, x1
	sub	sp, sp, #64
	mov	w0, #6
	bl	last
	mov	sp, x22
	ldp	x21, x22, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
	.size	main, .-main

	.type	last, %function
last:	stp	x29, x30, [sp, #-16]!
	mov	x2, #1
	mov	x3, #1
	add	x0, x0, x3
	tbz	w0, #0, 1f
	eor	x1, x2, x3
	sub	x0, x0, x1
1:	ldp	x29, x30, [sp], #16
	ret
	.size	last, .-last
	.section .note.GNU-stack, "", %progbits
