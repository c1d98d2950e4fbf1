# jrcxz, loop, loope, loopne: 8-bit only branches that must be widened by another sequence.
# hazard: branch of one byte only.
//# ldflags: -no-pie
//# stdout: 55 10 1 4
	.text
	.globl sum
	.type sum, @function
sum:				# 1 + ... + edi
	movl %edi, %ecx
	xorl %eax, %eax
	jrcxz 2f
1:	addl %ecx, %eax
	loop 1b
2:	ret
	.size sum, .-sum
	.globl length
	.type length, @function
length:				# strlen with loopne
	movl $-1, %ecx
1:	cmpb $0, (%rdi)
	leaq 1(%rdi), %rdi
	loopne 1b
	notl %ecx
	leal -1(%rcx), %eax
	ret
	.size length, .-length
	.globl zero
	.type zero, @function
zero:				# is ecx zero; flags survive jecxz
	movl %edi, %ecx
	cmpl $5, %esi
	jecxz 1f
	sete %al
	movzbl %al, %eax
	ret
1:	setb %al
	movzbl %al, %eax
	ret
	.size zero, .-zero
	.globl same
	.type same, @function
same:				# equal leading bytes, at most 8
	movl $8, %ecx
1:	movb (%rdi), %al
	cmpb (%rsi), %al
	leaq 1(%rdi), %rdi
	leaq 1(%rsi), %rsi
	loope 1b
	movl $7, %eax
	subl %ecx, %eax
	ret
	.size same, .-same
	.globl main
	.type main, @function
main:
	pushq %rbx
	pushq %rbp
	pushq %r12
	movl $10, %edi
	call sum
	movl %eax, %ebx
	xorl %edi, %edi
	call sum
	addl %eax, %ebx
	movl $text, %edi
	call length
	movl %eax, %ebp
	xorl %edi, %edi
	movl $3, %esi
	call zero
	movl %eax, %r12d
	movl $text, %edi
	movl $other, %esi
	call same
	movl %eax, %r8d
	movl %r12d, %ecx
	movl %ebp, %edx
	movl %ebx, %esi
	movl $format, %edi
	xorl %eax, %eax
	call printf
	xorl %eax, %eax
	popq %r12
	popq %rbp
	popq %rbx
	ret
	.size main, .-main
	.section .rodata
text:	.string "0123456789"
other:	.string "0123x56789"
format:	.string "%d %d %d %d\n"
	.section .note.GNU-stack, "", @progbits
