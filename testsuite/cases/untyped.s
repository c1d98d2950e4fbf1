# A hand-written program whose labels have no type: its entry point is code.
# hazard: function of size 0.
# hazard: unseen thread start.
//# ldflags: -nostdlib -static -Wl,-e,begin
//# report: begin 1
	.text
	.globl	begin
begin:	mov	$3, %ecx
loop:	dec	%ecx
	jne	loop
	mov	$60, %eax
	xor	%edi, %edi
	syscall
table:	.long	7, 8
	.section .note.GNU-stack, "", @progbits
