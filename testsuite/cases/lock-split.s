# glibc's branch over a lock prefix: its target is the middle of an instruction.
# hazard: lock-split branch.
//# oracle: noinsns
//# stdout: 7 7
	.text
	.globl swap
	.type swap, @function
swap:				# (rdi) = esi when edx is what is there; ecx: with lock or without
	movl %edx, %eax
	testl %ecx, %ecx
	je 1f
	lock
1:	cmpxchgl %esi, (%rdi)
	movl (%rdi), %eax
	ret
	.size swap, .-swap
	.globl main
	.type main, @function
main:
	pushq %rbx
	leaq cell(%rip), %rdi
	movl $5, %esi
	xorl %edx, %edx
	movl $1, %ecx
	call swap
	leaq cell(%rip), %rdi
	movl $7, %esi
	movl $5, %edx
	xorl %ecx, %ecx
	call swap
	movl %eax, %esi
	movl cell(%rip), %edx
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.bss
	.balign 4
cell:	.zero 4
	.section .rodata
format:	.string "%d %d\n"
	.section .note.GNU-stack, "", @progbits
