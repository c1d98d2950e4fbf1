# A function returns to its caller's caller, so that a call of it does not return; another one returns to a function that
# it pushes.
# hazard: return that jumps.
//# stdout: 30
	.text
	.type skip,@function
skip:	add $8,%rsp
	ret
	.size skip,.-skip
	.type inner,@function
inner:	inc %ebx
	test $1,%bl
	jne 2f
	call skip
2:	inc %r12d
	ret
	.size inner,.-inner
	.type second,@function
second:	inc %r12d
	ret
	.size second,.-second
# returns into second, which returns to the caller
	.type slot,@function
slot:	pop %rax
	push %rax
	lea second(%rip),%rdx
	push %rdx
	sub $16,%rsp
	add $16,%rsp
	ret
	.size slot,.-slot
	.globl main
	.type main,@function
main:	push %rbx
	push %r12
	push %r13
	xor %ebx,%ebx
	xor %r12d,%r12d
	xor %r13d,%r13d
1:	call inner
	call slot
	inc %r13d
	cmp $20,%r13d
	jne 1b
	lea fmt(%rip),%rdi
	mov %r12d,%esi
	xor %eax,%eax
	call printf@PLT
	xor %eax,%eax
	pop %r13
	pop %r12
	pop %rbx
	ret
	.size main,.-main
	.data
fmt:	.asciz "%d\n"
	.section .note.GNU-stack,"",@progbits
