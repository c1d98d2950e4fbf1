# Jumps by tables in functions that have several: apart() jumps by one and then by another, both() by one in two
# places, chosen() by one of two, words() by tables of addresses.
//# places: exits after tables
	.macro function name
	.globl \name
	.type \name, @function
\name:
	.endm
	.macro by table, index
	lea \table(%rip), %rdx
	movslq (%rdx,\index,4), %rax
	add %rdx, %rax
	jmp *%rax
	.endm
	function apart
	by first, %rdi
.L1:	add $1, %ebx
	by second, %rsi
.L2:	add $2, %ebx
	by second, %rsi
.L3:	add $4, %ebx
	ret
.L4:	add $8, %ebx
	ret
.L5:	sub $1, %ebx
	ret
	.size apart, . - apart
	function both
	test %edi, %edi
	jz .L6
	by third, %rsi
.L6:	by third, %rdi
.L7:	add $1, %ebx
	ret
.L8:	add $2, %ebx
	ret
	.size both, . - both
	function chosen
	lea fourth(%rip), %rdx
	lea fifth(%rip), %rcx
	test %edi, %edi
	cmovz %rcx, %rdx
	movslq (%rdx,%rsi,4), %rax
	add %rdx, %rax
	jmp *%rax
.L9:	add $4, %ebx
	by fourth, %rdi
.L10:	add $1, %ebx
	ret
	.size chosen, . - chosen
	function words
	lea sixth(%rip), %rdx
	jmp *(%rdx,%rdi,8)
.L11:	add $1, %ebx
.L12:	lea seventh(%rip), %rdx
	jmp *(%rdx,%rsi,8)
.L13:	add $2, %ebx
.L14:	add $8, %ebx
	ret
	.size words, . - words
	function main
	push %rbx
	xor %ebx, %ebx
	xor %r8d, %r8d
1:	mov %r8d, %edi
	mov %r8d, %esi
	and $1, %edi
	shr $1, %esi
	.irp f, apart, both, chosen, words
	call \f
	.endr
	inc %r8d
	cmp $4, %r8d
	jne 1b
	lea format(%rip), %rdi
	mov %ebx, %esi
	xor %eax, %eax
	call printf@PLT
	xor %eax, %eax
	pop %rbx
	ret
	.size main, . - main
	.section .rodata
	.balign 4
first:	.long .L1 - first, .L2 - first, .L5 - first
second:	.long .L3 - second, .L4 - second
third:	.long .L7 - third, .L8 - third
fourth:	.long .L10 - fourth, .L10 - fourth
fifth:	.long .L9 - fifth, .L10 - fifth
format:	.string "%d\n"
	.section .data.rel.ro, "aw"
	.balign 8
sixth:	.quad .L11, .L12
seventh: .quad .L13, .L14
	.section .note.GNU-stack, "", @progbits
