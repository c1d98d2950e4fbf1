# Calls of a function that is found by its distance from a label, which the assembler has worked out: what
# lies between them stays together.
# hazard: distance added to a label.
//# stdout: 797979797979797979797979
//# opaque: added t_added less t_less lea t_lea moved t_moved popped t_popped got t_got spilled t_spilled
//# opaque: data t_data kept t_kept jumped t_jumped chosen t_chosen pushed t_pushed
//# opaque: b_added b_less b_lea b_moved b_popped b_got b_spilled b_data b_kept b_jumped b_chosen b_pushed
	.macro	func name
	.type	\name, @function
\name:
	.endm
	.macro	ends name
	.size	\name, .-\name
	.endm
	.macro	target name
	func	t_\name
	test	%edi, %edi
	je	8f
	mov	$7, %eax
	ret
8:	mov	$9, %eax
	ret
	ends	t_\name
	.endm
	.macro	between name
	func	b_\name
	test	%edi, %edi
	je	8f
	inc	%eax
8:	ret
	ends	b_\name
	.endm
	.macro	form name
	.section .text.\name, "ax", @progbits
	func	\name
	sub	$24, %rsp
	.endm
	.macro	calls name
	call	*%rax
	add	$24, %rsp
	ret
	ends	\name
	between	\name
	target	\name
	.endm

	form	added
	lea	1f(%rip), %rax
1:	add	$(t_added - 1b), %rax
	calls	added
	form	lea
	lea	1f(%rip), %rdx
1:	lea	t_lea-1b(%rdx), %rax
	calls	lea
	form	moved
	lea	1f(%rip), %rax
1:	mov	$(t_moved - 1b), %ecx
	test	%edi, %edi
	je	2f
	nop
2:	add	%rcx, %rax
	calls	moved
	form	popped
	call	1f
1:	pop	%rax
	add	$(t_popped - 1b), %rax
	calls	popped
	form	got
	mov	got@GOTPCREL(%rip), %rax
	add	$(t_got - got), %rax
	calls	got
	form	spilled
	lea	spilled(%rip), %rax
	mov	%rax, 8(%rsp)
	test	%edi, %edi
	je	2f
	nop
2:	mov	8(%rsp), %rax
	add	$(t_spilled - spilled), %rax
	calls	spilled
	form	data
	mov	base(%rip), %rax
	add	$(t_data - data), %rax
	calls	data
	form	kept
	lea	kept(%rip), %rax
	add	$(t_kept - kept), %rax
	mov	%rax, place(%rip)
	call	*place(%rip)
	mov	%eax, %edi
	lea	id(%rip), %rax
	calls	kept
	form	chosen
	lea	chosen(%rip), %rax
	xor	%edx, %edx
	test	%edx, %edx
	cmovne	%rdx, %rax
	add	$(t_chosen - chosen), %rax
	calls	chosen

	.section .text.less, "ax", @progbits
	target	less
	between	less
	func	less
	sub	$8, %rsp
	lea	less(%rip), %rax
	sub	$(less - t_less), %rax
	call	*%rax
	add	$8, %rsp
	ret
	ends	less

	.section .text.jumped, "ax", @progbits
	func	jumped
	lea	jumped(%rip), %rax
	add	$(t_jumped - jumped), %rax
	jmp	*%rax
	ends	jumped
	between	jumped
	target	jumped

	.section .text.pushed, "ax", @progbits
	func	pushed
	lea	pushed(%rip), %rax
	mov	$(t_pushed - pushed), %ecx
	lea	(%rax,%rcx), %rax
	push	%rax
	ret
	ends	pushed
	between	pushed
	target	pushed

	.section .text.main, "ax", @progbits
	func	id
	mov	%edi, %eax
	ret
	ends	id
	.globl	main
	func	main
	push	%rbx
	.irp	name, added, less, lea, moved, popped, got, spilled, data, kept, jumped, chosen, pushed
	.irp	arg, 1, 0
	mov	$\arg, %edi
	call	\name
	lea	format(%rip), %rdi
	mov	%eax, %esi
	xor	%eax, %eax
	call	printf@PLT
	.endr
	.endr
	pop	%rbx
	xor	%eax, %eax
	ret
	ends	main
	.section .rodata
format:	.asciz	"%d"
	.data
	.balign	8
base:	.quad	data
place:	.quad	0
	.section .note.GNU-stack,"",@progbits
