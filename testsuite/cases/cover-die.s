# A signal kills in one of two paths that meet: the code behind them was not executed.
//# status: 139
//# oracle: step stays=1
	.text
	.globl	main
	.type	main, @function
main:	cmp	$1, %edi
	jne	2f
	mov	0, %eax
1:	mov	$0, %eax
	ret
2:	mov	$5, %ecx
	jmp	1b
	.size	main, .-main
	.section .note.GNU-stack, "", @progbits
