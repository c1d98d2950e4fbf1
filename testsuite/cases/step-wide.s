# Steps so wide that the register wraps within seconds do not count rounds: 2^64 is 2^33 of them.
# hazard: step that wraps.
//# insn: inc +%r..\n[^\n]*add +\$0xffffffff80000000,%rdi
//# insn: inc +%r..\n[^\n]*add +\$0x40,%rdi
//# insn: mov +%rsi,%(r..)\n.*add +\$0xffffffff80000000,%rdi\n.*dec +%rsi\n.*\n.*sub +%rsi,%\1
//# insn: sub +%rdi,%(r..)\n[^\n]*sar +\$0x5,%\1
	.macro	loop name:req, code:req
	.type	\name, @function
\name:	.cfi_startproc
	xor	%edi, %edi
	\code
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm
	.text
	loop	wide, "movabs $-(200 << 31),%rsi; 1: add $-1<<31,%rdi; cmp %rsi,%rdi; jne 1b"
	loop	wider, "mov $200,%esi; 1: add $-1<<31,%rdi; dec %rsi; jne 1b"
	loop	least, "mov $200*64,%esi; 1: add $64,%rdi; cmp %rsi,%rdi; jne 1b"
	loop	most, "mov $200*32,%esi; 1: add $32,%rdi; cmp %rsi,%rdi; jne 1b"

	.globl	main
	.type	main, @function
main:	.cfi_startproc
	.irp	name, wide, wider, least, most
	call	\name
	.endr
	xor	%eax, %eax
	ret
	.cfi_endproc
	.size	main, .-main
	.section .note.GNU-stack,"",@progbits
