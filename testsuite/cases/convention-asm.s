# Functions that pass and return values in registers which the psABI calls lost, called by name and by
# address, before and behind loops whose counters would be held there.
# hazard: foreign calling convention.
//# stdout: 1346
	.macro rounds			# changes %eax, %edx and the flags
	mov	$100, %edx
	xor	%eax, %eax
1:	test	$3, %dl
	je	2f
	inc	%eax
2:	dec	%edx
	jne	1b
	.endm

	.macro function name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm
	.macro end name
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm

	.macro returning reg how	# 5 in reg, and %eax
	function \how\()_\reg
	mov	$5, %\reg
	rounds
	end	\how\()_\reg
	.endm

	.text
	.irp	reg, rcx, rsi, rdi, r8, r9, r10, r11
	returning \reg, named
	returning \reg, address
	.endr

	function take_named		# %r11, in one called by name
	mov	%r11, %rax
	end	take_named
	function take_address		# the same by address
	lea	1(%r11), %rax
	end	take_address
	function pass
	mov	$7, %r11d
	rounds
	call	take_named
	end	pass
	function pass_address
	mov	$9, %r11d
	rounds
	lea	take_address(%rip), %rax
	call	*%rax
	end	pass_address

	function untouched		# leaves %r11 alone, as who calls it by address knows
	mov	$100, %ecx
	xor	%eax, %eax
1:	test	$3, %cl
	je	2f
	inc	%eax
2:	dec	%ecx
	jne	1b
	end	untouched

	function popping		# jumps to its return address, with a value in %r10
	mov	$11, %r10d
	rounds
	pop	%r8
	jmp	*%r8
	.cfi_endproc
	.size	popping, .-popping

	.globl	main
	function main
	push	%rbx
	.cfi_adjust_cfa_offset 8
	xor	%ebx, %ebx
	.irp	reg, rcx, rsi, rdi, r8, r9, r10, r11
	call	named_\reg
	add	%\reg, %rbx
	add	%rax, %rbx
	lea	address_\reg(%rip), %rax
	call	*%rax
	lea	(%rbx, %\reg, 2), %rbx
	add	%rax, %rbx
	.endr
	call	pass
	add	%rax, %rbx
	call	pass_address
	add	%rax, %rbx
	mov	$13, %r11d
	lea	untouched(%rip), %rax
	call	*%rax
	add	%r11, %rbx
	add	%rax, %rbx
	call	popping
	lea	(%r10, %rax), %rsi
	add	%rbx, %rsi
	lea	format(%rip), %rdi
	xor	%eax, %eax
	call	printf@PLT
	xor	%eax, %eax
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	end	main
	.section .rodata
format:	.string "%d\n"
	.section .note.GNU-stack, "", @progbits
