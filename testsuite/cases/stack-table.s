//# cc: gcc
//# opaque: sum
# The stack pointer reads a table, with flags and registers in use: what is below it must stay.
	.text
	.globl main
	.type main,@function
main:	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	call sum
	mov %eax,keep+8(%rip)
	call sum
	cmp %eax,keep+8(%rip)
	mov $1,%eax
	jne 1f
	lea tab(%rip),%rsi
	mov $128,%ecx
	xor %eax,%eax
2:	add -8(%rsi,%rcx,8),%rax
	dec %ecx
	jnz 2b
	sub $128*129/2,%rax
	jz 1f
	mov $2,%eax
1:	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret
	.size main,.-main
	.type sum,@function
sum:	mov %rsp,keep(%rip)
	lea tab(%rip),%rsp
	mov $1,%eax
	mov $1,%ebx
	mov $1,%edx
	mov $1,%esi
	mov $1,%edi
	mov $1,%ebp
	mov $1,%r8d
	mov $1,%r9d
	mov $1,%r10d
	mov $1,%r11d
	mov $1,%r12d
	mov $1,%r13d
	mov $1,%r14d
	mov $128,%ecx
	clc
3:	pop %r15
	adc %r15,%rax
	jno 4f
	lea 1(%rbx),%rbx
	jc 5f
4:	lea 1(%rdx),%rdx
	jp 5f
	lea 1(%rsi),%rsi
	js 5f
	jz 5f
	lea 1(%rdi),%rdi
5:	lea (%r12,%r15),%r12
	cmovo %r13,%r14
	cmovz %r14,%r8
	cmovs %r8,%r9
	cmovp %r9,%r10
	lea -1(%rcx),%rcx
	jrcxz 6f
	jmp 3b
6:	adc %rbx,%rax
	adc %rdx,%rax
	adc %rsi,%rax
	adc %rdi,%rax
	adc %rbp,%rax
	adc %r8,%rax
	adc %r9,%rax
	adc %r10,%rax
	adc %r11,%rax
	adc %r12,%rax
	adc %r13,%rax
	adc %r14,%rax
	adc %r15,%rax
	mov keep(%rip),%rsp
	ret
	.size sum,.-sum
	.data
	.balign 16
before:	.zero 256
	.globl tab
tab:	
	.set i,1
	.rept 128
	.quad i
	.set i,i+1
	.endr
keep:	.quad 0,0
	.section .note.GNU-stack,"",@progbits
