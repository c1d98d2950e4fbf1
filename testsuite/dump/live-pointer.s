# A function that is called by its address, and one that calls it so: what either needs and leaves,
# the other is taken to leave and need.
//# dump: blocks liveness refs
	.type	taken, @function
taken:
	lea	(%rdi, %r8), %rax
	ret
	.size	taken, . - taken
	.globl	f
	.type	f, @function
f:
	call	*pointer(%rip)
	add	%rdx, %rax
	ret
	.size	f, . - f
	.data
pointer:
	.quad	taken
	.section .note.GNU-stack
