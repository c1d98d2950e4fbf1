# A tail call through a table in data that the program stores to: who is called takes %r11.
# hazard: stored function table.
//# status: 33
	.macro function name, code:vararg
	.globl \name
	.type \name, @function
\name:	\code
	ret
	.size \name, . - \name
	.endm
	.text
	function one, mov $1, %eax
	function two, mov %r11d, %eax
	.type via, @function
via:	mov $33, %r11d
	xor %ecx, %ecx
	and $1, %ecx
	lea table(%rip), %rdx
	jmp *(%rdx,%rcx,8)
	.size via, . - via
	.globl main
	.type main, @function
main:	lea two(%rip), %rax
	mov %rax, table(%rip)
	call via
	ret
	.size main, . - main
	.data
	.balign 8
table:	.quad one, one
	.section .note.GNU-stack, "", @progbits
