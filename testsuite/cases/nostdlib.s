# No libc, no crt files: two system calls and a loop.
//# ldflags: -nostdlib -static
//# stdout: ok
//# status: 10
//# report: _start 1
//# unfinished: 0
	.text
	.globl _start
	.type _start, @function
_start:
	movl $1, %eax
	movl $1, %edi
	leaq text(%rip), %rsi
	movl $3, %edx
	syscall
	xorl %edi, %edi
	movl $10, %ecx
1:	incl %edi
	decl %ecx
	jnz 1b
	movl $231, %eax
	syscall
	hlt
	.size _start, .-_start
	.section .rodata
text:	.ascii "ok\n"
	.section .note.GNU-stack, "", @progbits
