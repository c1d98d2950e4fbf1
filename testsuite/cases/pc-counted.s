# Code that counts from its own program counter, to data, to a label, on the way through memory.
# hazard: data in text.
//# stdout: 4243 7 10 11 2 99
//# opaque: by_load by_start by_index by_add by_lea by_store
	.macro begin name
	.section .text.\name, "ax", @progbits
	.type \name, @function
\name:	cmp $5, %edi
	.endm
	begin by_load
	leaq 1f(%rip), %rdx
1:	movl tab-1b(%rdx), %eax
	ja 2f
	addl $1, %eax
2:	ret
	.size by_load, .-by_load
tab:	.long 4242
	begin by_start
	leaq by_start(%rip), %rdx
	ja 2f
	addl $1, %edi
2:	movl other-by_start(%rdx), %eax
	ret
	.size by_start, .-by_start
other:	.long 99
	begin by_add
	leaq 1f(%rip), %rax
1:	leaq 2f-1b(%rax), %rax
	ja 2f
	jmp *%rax
	ud2
2:	movl $7, %eax
	ret
	.size by_add, .-by_add
	begin by_lea
	leaq 1f(%rip), %rcx
1:	ja 3f
	nop
3:	leaq 2f-1b(%rcx), %rdx
	pushq %rbx
	call *%rdx
	popq %rbx
	addl $1, %eax
	ret
2:	movl $9, %eax
	ret
	.size by_lea, .-by_lea
	begin by_store
	leaq 1f(%rip), %rax
1:	movq %rax, -8(%rsp)
	ja 3f
	nop
3:	movq -8(%rsp), %rcx
	leaq 2f-1b(%rcx), %rcx
	jmp *%rcx
	ud2
2:	movl $11, %eax
	ret
	.size by_store, .-by_store
	begin by_index
	leaq 1f(%rip), %rdx
1:	movzbl bytes-1b(%rdx,%rdi), %eax
	ja 2f
	addl $1, %eax
2:	ret
	.size by_index, .-by_index
bytes:	.byte 3, 1, 4, 1, 5, 9, 2, 6
	.section .text.main, "ax", @progbits
	.globl main
	.type main, @function
main:	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	.irp f, by_load, by_add, by_lea, by_store
	movl $3, %edi
	call \f
	pushq %rax
	.endr
	movl $3, %edi
	call by_index
	movl %eax, %r9d
	movl $3, %edi
	call by_start
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	leaq format(%rip), %rdi
	pushq %rax
	pushq %rax
	xorl %eax, %eax
	call printf@PLT
	addq $16, %rsp
	xorl %eax, %eax
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	ret
	.size main, .-main
	.section .rodata.str1.1, "aMS", @progbits, 1
format:	.string "%d %d %d %d %d %d\n"
	.section .note.GNU-stack, "", @progbits
