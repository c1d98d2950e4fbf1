# The start files call main, which needs no type.
//# report: main 1
	.text
	.globl	main
main:	xor	%eax, %eax
	test	%edi, %edi
	je	1f
	ret
1:	dec	%eax
	ret
	.section .note.GNU-stack, "", @progbits
