# Code of a compiler that ran before the link, in one piece: its own table has offsets from a label as numbers.
# hazard: code of an ahead-of-time compiler.
# hazard: entries of one size.
//# stdout: 7 11 1
//# opaque: v8_Default_embedded_blob_code_ Builtins_Abort Builtins_Add one two
	.text
	.globl v8_Default_embedded_blob_code_
	.p2align 4
v8_Default_embedded_blob_code_:
	.type Builtins_Abort, @function
Builtins_Abort:
	test %edi, %edi
	jz 1f
	inc %edi
1:	lea 3(%rdi), %eax
	ret
	.size Builtins_Abort, . - Builtins_Abort
	.type Builtins_Add, @function
Builtins_Add:
	test %edi, %edi
	jz 1f
	inc %edi
1:	lea 7(%rdi), %eax
	ret
	.size Builtins_Add, . - Builtins_Add

	.section .rodata, "a"
	.p2align 2
table:	.long Builtins_Abort - v8_Default_embedded_blob_code_, Builtins_Add - v8_Default_embedded_blob_code_

	.section .data.rel.ro, "aw"
	.p2align 3
base:	.quad v8_Default_embedded_blob_code_, one, two

# two entries of 8 bytes
	.section .text..L.cfi.jumptable, "ax", @progbits
	.p2align 3
	.globl one, two
	.type one, @function
	.type two, @function
one:	xor %eax, %eax
	ret
	.p2align 3, 0xcc
	.size one, . - one
two:	mov $1, %al
	ret
	.p2align 3, 0xcc
	.size two, . - two

	.section .text.main, "ax"
	.globl main
	.type main, @function
main:
	push %rbx
	push %r12
	push %r13
	mov base(%rip), %rbx
	mov table(%rip), %eax
	add %rbx, %rax
	mov $3, %edi
	call *%rax
	mov %eax, %r12d
	mov table+4(%rip), %eax
	add %rbx, %rax
	mov $3, %edi
	call *%rax
	mov %eax, %edx
	mov %r12d, %esi
	mov base+8(%rip), %rax
	mov base+16(%rip), %rcx
	sub %rax, %rcx
	ror $3, %rcx
	lea format(%rip), %rdi
	xor %eax, %eax
	call printf@PLT
	xor %eax, %eax
	pop %r13
	pop %r12
	pop %rbx
	ret
	.size main, . - main
	.section .rodata.str, "aMS", @progbits, 1
format:	.asciz "%d %d %d\n"
	.section .note.GNU-stack, "", @progbits
