# A position-independent table, by its distance from a label in a register: a pc-relative relocation
# where no instruction counts from itself.  The distance is corrected; where it is not known which of two
# labels the register holds, the section stays as it is.
# hazard: pc-relative word elsewhere.
//# opaque: mixed behind
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
	movzbl	table-before(%r10,%rcx), %edx
	add	%edx, %eax
	lea	table-before(%r10), %rdx
	cmpb	$40, 3(%rdx)
	jne	2f
	inc	%ecx
	cmp	$4, %ecx
	jne	1b
2:	ret
	.size	sum, .-sum

	.section .text.mixed, "ax", @progbits
	.type	mixed, @function
mixed:
	lea	mixed(%rip), %r10
	lea	behind(%rip), %rcx
	xor	%edx, %edx
	cmp	$200, %edi
	cmova	%rcx, %r10
	cmova	%rdx, %rdx
	jbe	1f
	lea	mixed-behind(%rdx), %rdx
1:	movzbl	table-mixed(%rdx,%r10), %eax
	ret
	.size	mixed, .-mixed
	.type	behind, @function
behind:
	test	%edi, %edi
	je	1f
	inc	%eax
1:	ret
	.size	behind, .-behind

	.section .text.main, "ax", @progbits
	.globl	main
	.type	main, @function
main:
	push	%rbx
	call	sum
	mov	%eax, %ebx
	mov	$150, %edi
	call	mixed
	add	%eax, %ebx
	mov	$250, %edi
	call	mixed
	add	%eax, %ebx
	call	behind
	lea	-220(%rbx), %eax
	pop	%rbx
	ret
	.size	main, .-main
	.section .rodata
table:	.byte	10, 20, 30, 40
	.section .note.GNU-stack,"",@progbits
