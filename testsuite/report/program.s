# SPDX-License-Identifier: Apache-2.0
# Instrumented by hand.
# sum(n): loop from n down; twice(): calls it; asm_opaque: not understood; unused
	.text
	.globl	_start, sum, _Z5twicei, hidden
	.type	sum, @function
sum:
	incq	__ldx_counters(%rip)		# entries
	incq	__ldx_counters+8(%rip)
sum0:	xorl	%eax, %eax
	testl	%edi, %edi
	addq	$1, %gs:__ldx_counters+16
sum1:	je	sum3
sum2:	addl	%edi, %eax
	.globl	in_sum2, behind_in_sum2
in_sum2:
	addq	$1, %gs:__ldx_counters+24
behind_in_sum2:
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
