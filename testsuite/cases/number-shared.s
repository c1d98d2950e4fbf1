# Another function branches to where a register would have the same number on all paths of its own function, which
# computes with an address of code: nothing is known of it there.
# hazard: branch into another function.
#//# cflags: -no-pie
#//# stdout: 1 7
#//# opaque: shared
	.text
	.globl main
	.type main, @function
main:	push %rbx
	mov $1, %edi
	call shared
	mov %eax, %ebx
	mov $2, %edi
	call other
	mov %eax, %edx
	mov %ebx, %esi
	mov $format, %edi
	xor %eax, %eax
	call printf
	xor %eax, %eax
	pop %rbx
	ret
	.size main, .-main
	.type shared, @function
shared:	lea 2f(%rip), %rax
	add $1, %rax
	mov $1, %ecx
	cmp $1, %edi
	jne 2f
1:	mov %ecx, %eax
2:	ret
	.size shared, .-shared
	.section .text.unlikely, "ax", @progbits
	.type other, @function
other:	mov $7, %ecx
	jmp 1b
	.size other, .-other
	.data
format:	.string "%d %d\n"
	.section .note.GNU-stack, "", @progbits
