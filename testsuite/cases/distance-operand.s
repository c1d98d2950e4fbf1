# A position-independent table, by its distance from a label in a register: a pc-relative relocation
# where no instruction counts from itself.  Its section stays as it is.
# hazard: pc-relative word elsewhere.
//# opaque: before sum
	.text
	.type	before, @function
before:
	cmp	$3, %edi
	jg	1f
	add	$2, %edi
1:	mov	%edi, %eax
	ret
	.size	before, .-before

	.type	sum, @function
sum:
	call	before
	lea	before(%rip), %r10
	xor	%ecx, %ecx
	xor	%eax, %eax
1:	movzbl	table-before(%rcx,%r10), %edx
	add	%edx, %eax
	inc	%ecx
	cmp	$4, %ecx
	jne	1b
	ret
	.size	sum, .-sum

	.section .text.main, "ax", @progbits
	.globl	main
	.type	main, @function
main:
	call	sum
	sub	$100, %eax
	ret
	.size	main, .-main
	.section .rodata
table:	.byte	10, 20, 30, 40
	.section .note.GNU-stack,"",@progbits
