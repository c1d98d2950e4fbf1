# Addresses of functions with a number that leads out of their section, and is subtracted later.
# hazard: address with a number.
//# stdout: 14 29
//# opaque: f g
	.text
	.globl main
	.type main, @function
main:	pushq %rbx
	leaq f+4096(%rip), %rax
	subq $4096, %rax
	movl $1, %edi
	call *%rax
	leaq f-4096(%rip), %rcx
	addq $4096, %rcx
	movl %eax, %edi
	call *%rcx
	movq word(%rip), %rcx
	leaq -8192(%rcx), %rcx
	movl %eax, %edi
	call *%rcx
	movl %eax, %ebx
	leaq word(%rip), %rcx
	movslq 8(%rcx), %rdx
	leaq 4008(%rcx,%rdx), %rcx
	movl $5, %edi
	call *%rcx
	leaq format(%rip), %rdi
	movl %ebx, %esi
	movl %eax, %edx
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.section .text.f, "ax", @progbits
	.type f, @function
f:	cmpl $4, %edi
	jg 1f
	addl $10, %edi
1:	leal 1(%rdi), %eax
	ret
	.size f, .-f
	.section .text.g, "ax", @progbits
	nop
	.type g, @function
g:	testl %edi, %edi
	js 1f
	addl $24, %edi
1:	leal (%rdi), %eax
	ret
	.size g, .-g
	.data
word:	.quad f+8192
	.long g-word-4008
	.section .rodata.str1.1, "aMS", @progbits, 1
format:	.string "%d %d\n"
	.section .note.GNU-stack, "", @progbits
