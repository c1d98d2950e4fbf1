# Tables of scaled distances: the address of one is kept in another register for a while, the index of
# one is a constant on a path, and the entry of one is left over in a tail call.
# hazard: table of scaled distances.
#//# targets: aarch64; it is assembly
#//# stdout: 6154
	.text
	.macro	function name
	.align	2
	.type	\name, %function
\name:
	.endm
	.macro	ends name
	.size	\name, . - \name
	.endm

	/* the letters at x0 */
	function scan
	stp	x29, x30, [sp, -48]!
	stp	x19, x20, [sp, 16]
	stp	x21, x27, [sp, 32]
	mov	x19, x0
	mov	x21, 0
	adrp	x27, .Lfirst
	add	x27, x27, :lo12:.Lfirst
1:	ldrb	w8, [x19], 1
	sub	w8, w8, 97
	cmp	w8, 2
	b.hi	.Ldone
	adr	x9, .Lone
	ldrb	w10, [x27, x8]
	add	x9, x9, x10, lsl 2
	br	x9
.Lone:	add	x21, x21, 1
	b	1b
.Lten:	add	x21, x21, 10
	b	1b
.Lcall:	mov	x20, x27
	mov	w27, 100
	mov	w0, w27
	bl	pick
	add	x21, x21, x0
	mov	x27, x20
	b	1b
.Ldone:	mov	x0, x21
	ldp	x19, x20, [sp, 16]
	ldp	x21, x27, [sp, 32]
	ldp	x29, x30, [sp], 48
	ret
	ends	scan

	function pick
	mov	w8, 2
	tbnz	w0, 2, 1f
	cmp	w0, 5
	cset	w8, lo
1:	adrp	x9, .Lsecond
	add	x9, x9, :lo12:.Lsecond
	adr	x10, .Lless
	ldrb	w11, [x9, x8]
	add	x10, x10, x11, lsl 2
	br	x10
.Lless:	add	w0, w0, 100
	ret
.Lmore:	add	w0, w0, 200
	ret
.Lconst: add	w0, w0, 300
	ret
	ends	pick

	function last
	cmp	w0, 1
	b.hi	1f
	adrp	x13, .Lthird
	add	x13, x13, :lo12:.Lthird
	adr	x14, .Lhere
	ldrb	w15, [x13, w0, uxtw]
	add	x14, x14, x15, lsl 2
	br	x14
.Lhere:	mov	w0, 5000
	ret
.Lthere: mov	w0, 7
	b	other
1:	mov	w0, 0
	ret
	ends	last

	function other
	stp	x29, x30, [sp, -16]!
	bl	labs
	mov	w15, 4
	add	w0, w0, w15
	ldp	x29, x30, [sp], 16
	ret
	ends	other

	.globl	main
	function main
	stp	x29, x30, [sp, -32]!
	stp	x19, x20, [sp, 16]
	adrp	x0, .Lword
	add	x0, x0, :lo12:.Lword
	bl	scan
	mov	w19, w0
	mov	w0, 2
	bl	pick
	add	w19, w19, w0
	mov	w0, 8
	bl	pick
	add	w19, w19, w0
	mov	w0, 0
	bl	last
	add	w19, w19, w0
	mov	w0, 1
	bl	last
	add	w1, w19, w0
	adrp	x0, .Lform
	add	x0, x0, :lo12:.Lform
	bl	printf
	mov	w0, 0
	ldp	x19, x20, [sp, 16]
	ldp	x29, x30, [sp], 32
	ret
	ends	main

	.section .rodata
.Lfirst: .byte	0, (.Lten - .Lone) / 4, (.Lcall - .Lone) / 4
.Lsecond: .byte	0, (.Lmore - .Lless) / 4, (.Lconst - .Lless) / 4
.Lthird: .byte	0, (.Lthere - .Lhere) / 4
.Lword:	.asciz	"abcabcba"
.Lform:	.asciz	"%d\n"
	.section .note.GNU-stack, "", %progbits
