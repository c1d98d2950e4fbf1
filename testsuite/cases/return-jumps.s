# Returns that are tail calls: to a pushed word of memory, a number, a stored or exchanged word.  The registers of
# arguments are in use in front of them.
# hazard: return that jumps.
//# cflags: -no-pie -fno-pie
//# stdout: 99
	.text
	.macro fn n
	.globl \n
	.type \n,@function
\n:
	.endm
fn add5
	lea 5(%rdi,%rsi),%eax
	test %rdx,%rcx
	je 1f
	inc %eax
1:	ret
	.size add5,.-add5
# push of memory
fn fa
	mov $1,%ecx
	mov $2,%edx
	test %edi,%edi
	js 1f
	pushq tab(%rip)
	ret
1:	ret
	.size fa,.-fa
# push of a number
fn fb
	mov $1,%ecx
	mov $3,%edx
	test %edi,%edi
	js 1f
	pushq $add5
	ret
1:	ret
	.size fb,.-fb
# store
fn fc
	mov $1,%ecx
	mov $3,%edx
	lea add5(%rip),%rax
	test %edi,%edi
	js 1f
	sub $8,%rsp
	mov %rax,(%rsp)
	ret
1:	ret
	.size fc,.-fc
# exchange after a push
fn fd
	mov $1,%ecx
	mov $3,%edx
	test %edi,%edi
	js 1f
	push %rbx
	lea add5(%rip),%rax
	xchg %rax,(%rsp)
	ret
1:	ret
	.size fd,.-fd
# pops its frame, then jumps by a word below
fn fe
	mov $1,%ecx
	mov $3,%edx
	test %edi,%edi
	js 1f
	lea add5(%rip),%rax
	lea -8(%rsp),%rsp
	mov %rax,(%rsp)
	retq $0
1:	ret
	.size fe,.-fe
fn main
	push %rbx
	push %r12
	push %r13
	xor %ebx,%ebx
1:	xor %r12d,%r12d
	xor %r13d,%r13d
	.irp f,fa,fb,fc,fd,fe
	mov $1,%edi
	lea 4(,%rbx,1),%esi
	call \f
	add %eax,%r12d
	.endr
	inc %ebx
	cmp $10,%ebx
	jne 1b
	lea fmt(%rip),%rdi
	mov %r12d,%esi
	xor %eax,%eax
	call printf
	xor %eax,%eax
	pop %r13
	pop %r12
	pop %rbx
	ret
	.size main,.-main
	.data
	.balign 8
tab:	.quad add5
fmt:	.asciz "%d\n"
	.section .note.GNU-stack,"",@progbits
