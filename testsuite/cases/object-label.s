# Numbers that are distances from a data object where code begins, as LuaJIT has them of its interpreter.
# hazard: object label at a function.
//# stdout: 7 11
//# opaque: first second
	.text
	.globl begin
	.type begin, @object
	.p2align 4
begin:
	.size begin, 0
	.type first, @function
first:
	test %edi, %edi
	jz 1f
	inc %edi
1:	lea 3(%rdi), %eax
	ret
	.size first, . - first
	.type second, @function
second:
	test %edi, %edi
	jz 1f
	inc %edi
1:	lea 7(%rdi), %eax
	ret
	.size second, . - second

	.section .rodata, "a"
	.p2align 1
table:	.short first - begin, second - begin

	.section .text.main, "ax"
	.globl main
	.type main, @function
main:
	push %rbx
	push %r12
	push %r13
	lea begin(%rip), %rbx
	movzwl table(%rip), %eax
	add %rbx, %rax
	mov $3, %edi
	call *%rax
	mov %eax, %r12d
	movzwl table+2(%rip), %eax
	add %rbx, %rax
	mov $3, %edi
	call *%rax
	mov %eax, %edx
	mov %r12d, %esi
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
format:	.asciz "%d %d\n"
	.section .note.GNU-stack, "", @progbits
