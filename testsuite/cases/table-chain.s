// Entries of tables are loaded into the register of a static chain, and calls follow: by name, and by
// a pointer.  passes() gives one to reads(), so its own table is not understood.
// hazard: register of a static chain.
//# targets: aarch64; it is assembly
//# stdout: one two 3 5
//# opaque: passes
	.macro	function name
	.type	\name, %function
\name:	.cfi_startproc
	stp	x29, x30, [sp, -16]!
	.endm
	.macro	ends name
	ldp	x29, x30, [sp], 16
	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm
	.macro	switch table
	cmp	w0, 1
	b.hi	9f
	adrp	x1, \table
	add	x1, x1, :lo12:\table
	ldrb	w15, [x1, w0, uxtw]
	adr	x2, 1f
	add	x2, x2, w15, sxtb 2
	br	x2
1:
	.endm
	.text
	function names
	switch	.Lnames
	adrp	x0, .Lone
	add	x0, x0, :lo12:.Lone
2:	bl	printf
	b	9f
3:	adrp	x0, .Ltwo
	add	x0, x0, :lo12:.Ltwo
	b	2b
9:
	ends	names
	function passes
	switch	.Lpasses
	mov	w0, 1
	b	9f
4:	mov	w0, 2
	bl	reads
9:
	ends	passes
	function reads
	cbz	w0, 1f
	add	w0, w0, 1
	cbz	x15, 1f
	add	w0, w0, 2
1:
	ends	reads
	.globl	main
	function main
	mov	w0, 0
	bl	names
	mov	w0, 1
	bl	names
	mov	w0, 1
	bl	passes
	mov	w2, w0
	mov	w1, 3
	adrp	x0, .Lnumbers
	add	x0, x0, :lo12:.Lnumbers
	bl	printf
	mov	w0, 0
	ends	main
	.section .rodata
.Lnames:
	.byte	0, 4
.Lpasses:
	.byte	0, 2
.Lone:	.string	"one "
.Ltwo:	.string	"two "
.Lnumbers:
	.string	"%d %d\n"
	.section .note.GNU-stack, "", %progbits
