# With GNU ld, an object that says nothing about the stack asks for an executable one.
//# ldflags: -fuse-ld=bfd -Wl,--no-warn-execstack
//# stdout: ok
	.text
	.globl main
	.type main, @function
main:
	push %rbx
	mov $3, %ebx
1:	dec %ebx
	jnz 1b
	lea text(%rip), %rdi
	call puts@PLT
	xor %eax, %eax
	pop %rbx
	ret
	.size main, . - main
	.section .rodata.str, "aMS", @progbits, 1
text:	.asciz "ok"
