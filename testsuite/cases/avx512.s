# Instructions of AVX-512 and its kin, decoded and moved but not run where the CPU lacks them.
//# stdout: 0
	.text
	.globl wide
	.type wide, @function
wide:
	vpxorq %zmm16, %zmm16, %zmm16
	vmovdqu64 table(%rip), %zmm17
	vpaddd %zmm16, %zmm17, %zmm18{%k1}{z}
	vpcompressd %zmm18, (%rdi){%k2}
	vaesenc %zmm1, %zmm2, %zmm3
	vpclmulqdq $17, %zmm1, %zmm2, %zmm3
	vpdpbusd %zmm1, %zmm2, %zmm3
	vgf2p8affineqb $3, table(%rip), %zmm2, %zmm3
	kmovq %k1, %rax
	kortestq %k1, %k2
	je 1f
	vpbroadcastd table(%rip), %zmm5
	vp2intersectd %zmm1, %zmm2, %k4
1:	vpternlogd $255, table(%rip){1to16}, %zmm1, %zmm2
	vfmadd231ph %zmm1, %zmm2, %zmm3
	vzeroupper
	ret
	.size wide, .-wide
	.globl main
	.type main, @function
main:
	subq $8, %rsp
	cmpl $100, %edi
	jl 1f
	call wide
1:	xorl %esi, %esi
	leaq format(%rip), %rdi
	xorl %eax, %eax
	call printf@PLT
	xorl %eax, %eax
	addq $8, %rsp
	ret
	.size main, .-main
	.section .rodata
	.balign 64
table:	.zero 64
format:	.string "%d\n"
	.section .note.GNU-stack, "", @progbits
