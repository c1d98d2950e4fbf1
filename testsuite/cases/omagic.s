# -N: code and data in one segment, which has the uninitialised data as well.
# hazard: lost bss of -N.
//# ldflags: -nostdlib -static -no-pie -Wl,-N
//# status: 7
//# stderr: any
//# report: _start 1
	.text
	.globl _start
	.type _start, @function
_start:
	movl $7, %ecx
1:	incb counter(%rip)
	decl %ecx
	jnz 1b
	movzbl counter(%rip), %edi
	movl $231, %eax
	syscall
	hlt
	.size _start, .-_start
	.bss
	.skip 8192
counter: .skip 8192
	.section .note.GNU-stack, "", @progbits
