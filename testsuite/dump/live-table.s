# A table leads to a part of its function that stands elsewhere: r11, which a caller needs, is live there, but not in
# functions that are called by their addresses.
//# dump: blocks liveness
	.globl	f
	.type	f, @function
f:
	mov	%rdi, %r11
	call	choose
	lea	(%r11, %rax), %rax
	ret
	.size	f, . - f
	.type	choose, @function
choose:
	xor	%eax, %eax
	cmp	$1, %rsi
	ja	1f
	lea	table(%rip), %rcx
	movslq	(%rcx, %rsi, 4), %rax
	add	%rcx, %rax
	jmp	*%rax
1:
	ret
	.size	choose, . - choose
	.type	choose.cold, @function
choose.cold:
	mov	$7, %eax
	ret
	.size	choose.cold, . - choose.cold
	.type	other, @function
other:
	mov	$3, %eax
	ret
	.size	other, . - other
	.section .rodata
	.balign	4
table:
	.long	1b - table
	.long	choose.cold - table
	.data
	.quad	other
	.section .note.GNU-stack
