# A table of distances between functions that only its name tells, as the Go linker leaves it.
# hazard: distances by name only.
//# stdout: 7 11
//# opaque: runtime.text first second runtime.etext
	.text
	.globl runtime.text, runtime.etext
	.p2align 4
	.type runtime.text, @function
runtime.text:
	ret
	.size runtime.text, . - runtime.text
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
runtime.etext:

	.section .gopclntab, "a"
	.p2align 2
table:	.long first - runtime.text, second - runtime.text

	.section .text.main, "ax"
	.globl main
	.type main, @function
main:
	push %rbx
	push %r12
	push %r13
	lea runtime.text(%rip), %rbx
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
