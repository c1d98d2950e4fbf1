# Tail calls by other ways than a pointer in a register or in memory: from the stack, from %xmm0, chosen
# by cmov, with the pointer guarded; and nasm's labels, which are objects of size 1 among the code.
# hazard: odd tail call.
# hazard: object label on code.
//# stdout: 11 12 13 14
	.text
	.macro func name
	.globl \name
	.type \name, @function
\name:
	.endm
func one
	leal 1(%rdi), %eax
	ret
	.size one, .-one
func two
	leal 2(%rdi), %eax
	ret
	.size two, .-two
func by_stack
	leaq one(%rip), %rax
	pushq %rax
	popq %rcx
	jmp *%rcx
	.size by_stack, .-by_stack
func by_xmm
	leaq two(%rip), %rax
	movq %rax, %xmm0
	xorl %eax, %eax
	movq %xmm0, %rcx
	jmp *%rcx
	.size by_xmm, .-by_xmm
func by_cmov
	leaq one(%rip), %rax
	leaq two(%rip), %rcx
	testl $1, %edi
	cmovneq %rcx, %rax
	jmp *%rax
	.size by_cmov, .-by_cmov
func guarded
	leaq two(%rip), %rax
	xorq %fs:0x30, %rax
	rolq $17, %rax
	incl %edi
	.type inner, @object
	.size inner, 1
inner:	incl %edi
	testl $1, %edi
	jne inner
	rorq $17, %rax
	xorq %fs:0x30, %rax
	jmp *%rax
	.size guarded, .-guarded
func main
	pushq %rbx
	pushq %rbp
	pushq %r12
	movl $10, %edi
	call by_stack
	movl %eax, %ebx
	movl $10, %edi
	call by_xmm
	movl %eax, %ebp
	movl $11, %edi
	call by_cmov
	movl %eax, %r12d
	movl $10, %edi
	call guarded
	movl %eax, %r8d
	movl %r12d, %ecx
	movl %ebp, %edx
	movl %ebx, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %r12
	popq %rbp
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d %d %d %d\n"
	.section .note.GNU-stack, "", @progbits
