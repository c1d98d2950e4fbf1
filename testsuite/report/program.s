# SPDX-License-Identifier: Apache-2.0
# Instrumented by hand, in each way that ldx counts.
# sum(n): loop from n down; twice(): calls it; asm_opaque: not understood; unused
	.text
	.globl	_start, sum, _Z5twicei, hidden
	.type	sum, @function
sum:
	incq	__ldx_counters(%rip)		# entries
	incq	__ldx_counters+8(%rip)
sum0:	xorl	%eax, %eax
	testl	%edi, %edi
	mov	__ldx_counters+16(%rip), %rcx
	lea	1(%rcx), %rcx
	mov	%rcx, __ldx_counters+16(%rip)
sum1:	je	sum3
	lea	-128(%rsp), %rsp
	push	%rax
	mov	__ldx_counters+24(%rip), %rax
	lea	1(%rax), %rax
	mov	%rax, __ldx_counters+24(%rip)
	pop	%rax
	lea	128(%rsp), %rsp
sum2:	addl	%edi, %eax
	decl	%edi
	lea	-128(%rsp), %rsp
	lea	128(%rsp), %rsp
	jmp	sum1
	incq	__ldx_counters+32(%rip)
sum3:	ret
	.size	sum, .-sum

	.type	_Z5twicei, @function
_Z5twicei:
	incq	__ldx_counters+40(%rip)
twice0:	push	%rdi
	call	sum
	incq	__ldx_counters+48(%rip)
twice1:	pop	%rdi
	jmp	sum
	.size	_Z5twicei, .-_Z5twicei

	.type	_start, @function
_start:	incq	__ldx_counters+56(%rip)
start0:	movl	$3, %edi
	call	_Z5twicei
	call	hidden
	movl	$60, %eax
	xorl	%edi, %edi
	syscall
	.size	_start, .-_start

	.type	hidden, @function
hidden:	incq	__ldx_counters+64(%rip)
	ret
	.size	hidden, .-hidden

	.section .ldx.info, "a", @progbits
	.quad	0x31306f666e78646c, BUILD, 10
1:	.quad	__ldx_counters - 1b
	.quad	0, 0, 0, 0
	.section .ldx.counters, "aw", @nobits
	.balign	4096
__ldx_counters:
	.zero	4096
