# An array behind a jump table, which a loop that counts from 1 refers to as array-4: that is
# the table's last entry.  At -O3, or at link time, gcc 12 does so.
# hazard: array behind a table.
//# stdout: 1 20 300 4000 
//# ldflags: -no-pie
	.text
	.globl	main
	.type	main, @function
main:
	pushq	%rbx
	pushq	%rax
	xorl	%ebx, %ebx
.Lnext:
	leaq	table(%rip), %rdx
	cmpl	$3, %ebx
	ja	.Ldone
	movl	%ebx, %eax
	movslq	(%rdx,%rax,4), %rax
	addq	%rdx, %rax
	jmp	*%rax
.Lone:	movl	$1, %esi
	jmp	.Lshow
.Ltwo:	movl	$2, %esi
	jmp	.Lshow
.Lthree:
	movl	$3, %esi
	jmp	.Lshow
.Lfour:	movl	$4, %esi
.Lshow:	incl	%ebx
	leaq	array-4(%rip), %rdx
	movslq	%ebx, %rax
	imull	(%rdx,%rax,4), %esi
	movl	$fmt, %edi
	xorl	%eax, %eax
	call	printf
	jmp	.Lnext
.Ldone:	movl	$10, %edi
	call	putchar
	xorl	%eax, %eax
	popq	%rdx
	popq	%rbx
	ret
	.size	main, .-main

	.section .rodata
	.balign	4
table:	.long	.Lone - table
	.long	.Ltwo - table
	.long	.Lthree - table
	.long	.Lfour - table
array:	.long	1, 10, 100, 1000
fmt:	.string	"%d "
	.section .note.GNU-stack, "", @progbits
