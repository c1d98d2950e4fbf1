# Loops without a free general register at their exits, in functions that only psABI functions call: vectors do it all.
#
# main counts on %r11 over the calls, and on %xmm9 over those of `keeps'.
//# targets: x86_64; only there counters are held in vector registers
//# insn: movq +%rdi,%xmm15\n[^\n]*psubq +%xmm15,%(xmm[0-9]+)\n[^\n]*movq +%(r..),%xmm15\n[^\n]*movq +%\1,%\2\n[^\n]*sub +%\2,[^\n]*\n[^\n]*movq +%xmm15,%\2
//# insn: psubq +%xmm15,%(xmm[0-9]+)\n[^\n]*movq +%(r..),%xmm15\n[^\n]*movq +%\1,%\2\n[^\n]*sar +\$0x3,%\2\n[^\n]*movq +%\2,%\1\n[^\n]*movq +%xmm15,%\2
	.macro	loop name:req, code:req
	.type	\name, @function
\name:	.cfi_startproc
	\code
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm
	.text
	loop	up, "mov $1,%edi; 1: add (%rsi),%r11; add $1,%rdi; cmp $100,%rdi; jne 1b"
	loop	wide, "xor %edi,%edi; 1: add %rdi,%r11; add $8,%rdi; cmp $800,%rdi; jne 1b"
	loop	down, "mov $400,%edi; 1: add %rdi,%r11; sub $4,%rdi; je 2f; cmpq $0,(%rsi); jne 1b; 2:"
	loop	keeps, "mov $400,%edi; 1: add %rdi,%r11; paddq %xmm9,%xmm10; sub $1,%rdi; jne 1b"

	.globl	main
	.type	main, @function
main:	.cfi_startproc
	push	%rbx
	.cfi_adjust_cfa_offset 8
	mov	$20, %ebx
	mov	$1, %edx
	xor	%r11d, %r11d
	movq	%rdx, %xmm9
	pxor	%xmm10, %xmm10
1:	lea	array(%rip), %rsi
	.irp	reg, rax, rcx, rdx, r8, r9, r10
	mov	%rbx, %\reg
	.endr
	.irp	name, up, wide, down, keeps
	call	\name
	.irp	reg, rax, rcx, rdx, r8, r9, r10
	add	%\reg, %r11
	.endr
	.endr
	dec	%ebx
	jne	1b
	movq	%xmm10, %rax
	add	%rax, %r11
	lea	format(%rip), %rdi
	mov	%r11, %rsi
	xor	%eax, %eax
	call	printf@plt
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	xor	%eax, %eax
	ret
	.cfi_endproc
	.section .rodata
format:	.asciz	"%ld\n"
	.data
array:	.quad	1, 2, 3
	.section .note.GNU-stack,"",@progbits
