# A function that is called by its address, and one that calls it so: what either needs and leaves,
# the other is taken to leave and need.
//# dump: blocks liveness refs
	.type	taken, @function
taken:
	lea	(%rdi, %r11), %r9	# the psABI passes nothing in r11, and returns nothing in r9
	ret
	.size	taken, . - taken
	.globl	f
	.type	f, @function
f:
	call	*pointer(%rip)
	lea	(%r9, %rdx), %rax
	ret
	.size	f, . - f
	.data
pointer:
	.quad	taken
	.section .note.GNU-stack
