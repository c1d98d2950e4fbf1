# Branches into the middle of another function, and of one in another section.
# hazard: branch without relocation.  These branches carry no relocation.
# hazard: branch into another function.
//# stdout: 25 15 32
	.text
	.globl plus
	.type plus, @function
plus:				# edi + 20, entered in the middle too: edi + 10
	addl $10, %edi
middle:
	addl $10, %edi
	movl %edi, %eax
	ret
	.size plus, .-plus
	.globl tail
	.type tail, @function
tail:
	jmp middle
	.size tail, .-tail
	.globl far
	.type far, @function
far:
	testl %edi, %edi
	jne inside
	ret
	.size far, .-far
	.section .text.unlikely, "ax", @progbits
	.type cold, @function
cold:
	ud2
inside:
	leal 7(%rdi, %rdi, 4), %eax
	ret
	.size cold, .-cold
	.text
	.globl main
	.type main, @function
main:
	pushq %rbx
	movl $5, %edi
	call plus
	movl %eax, %ebx
	movl $5, %edi
	call tail
	pushq %rax
	pushq %rax
	movl $5, %edi
	call far
	movl %eax, %ecx
	popq %rdx
	popq %rdx
	movl %ebx, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
format:	.string "%d %d %d\n"
	.section .note.GNU-stack, "", @progbits
