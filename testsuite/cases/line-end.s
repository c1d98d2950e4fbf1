# Line tables of units that share a section, as `ld -r' joins them; each ends with a row that
# stands for nothing, as compilers make behind a call that does not return.
//# status: 1
	.macro	unit name
	.text
	.type	\name, @function
\name:	sub	$8, %rsp
	call	exit@PLT
\name\()_end:
	.size	\name, .-\name
	.section .debug_line
	.byte	0, 9, 2			# set_address
	.quad	\name
	.byte	1, 2			# copy, advance_pc
	.uleb128 \name\()_end - \name
	.byte	3, 1, 1, 0, 1, 1	# advance_line, copy, end_sequence
	.endm

	.section .debug_line
	.long	2f - 1f
1:	.short	3
	.long	4f - 3f
3:	.byte	1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0
	.asciz	"unit.c"
	.byte	0, 0, 0, 0
4:	.irp	name, a, b, c, d, e, f, g, h
	unit	\name
	.endr
	.globl	main
main = a
2:	.section .note.GNU-stack, "", @progbits
