/* A function has an argument behind the call of it, in code, and returns behind that. */
/* hazard: argument behind a call. */
//# cc: gcc
//# opaque: use
//# stdout: 197
#include <stdio.h>

#if defined __x86_64__
#define ARG "mov (%rsp), %rax\nmovzbl (%rax), %eax\naddq $4, (%rsp)\nret\n"
#define USE                                                                                        \
	"push %rbx\nmov %edi, %ebx\ncall arg\n.byte 0x90, 0x90, 0x90, 0x90\nand $31, %eax\n"       \
	"add %ebx, %eax\ntest $1, %bl\njne 1f\nadd $16, %eax\n1: pop %rbx\nret\n"
#elif defined __aarch64__
#define ARG "ldrb w0, [x30], #4\nret\n"
#define USE                                                                                        \
	"stp x19, x30, [sp, #-16]!\nmov w19, w0\nbl arg\nnop\nand w0, w0, #16\nadd w0, w0, w19\n"  \
	"tbnz w19, #0, 1f\nadd w0, w0, #16\n1: ldp x19, x30, [sp], #16\nret\n"
#elif defined __riscv
#define ARG "lbu a0, 0(ra)\naddi ra, ra, 4\nret\n"
#define USE                                                                                        \
	"addi sp, sp, -16\nsd ra, 8(sp)\nsd s0, 0(sp)\nmv s0, a0\n.option push\n.option norvc\n"   \
	"jal arg\nnop\n.option pop\nandi a0, a0, 16\nadd a0, a0, s0\nandi t0, s0, 1\n"             \
	"bnez t0, 1f\naddi a0, a0, 16\n1: ld ra, 8(sp)\nld s0, 0(sp)\naddi sp, sp, 16\nret\n"
#else
#if __SIZEOF_POINTER__ == 8
#define M(op) "d" op
#define W(op) op "d"
#else
#define M(op) op
#define W(op) op "w"
#endif
#define ARG ".set noreorder\nlw $2, 0($31)\n" M("addiu") " $31, $31, 4\njr $31\nnop\n.set reorder\n"
#define USE                                                                                                 \
	".set noreorder\n" M("addiu") " $29, $29, -32\n" W("s") " $31, 24($29)\n" W(                        \
		"s") " $16, 16($29)\n"                                                                      \
		     "move $16, $4\nbal arg\nnop\naddiu $2, $2, 16\nandi $2, $2, 16\naddu $2, $2, $16\n"    \
		     "andi $8, $16, 1\nbnez $8, 1f\nnop\naddiu $2, $2, 16\n1: " W("l") " $31, 24($29)\n" W( \
			     "l") " $16, 16($29)\njr $31\n" M("addiu") " $29, $29, 32\n.set reorder\n"
#endif
#define FUNC(f, body) ".type " #f ", @function\n" #f ":\n" body ".size " #f ", .-" #f "\n"

int use(int n);
asm(".section .text.behind,\"ax\",@progbits\n.globl use\n" FUNC(arg, ARG) FUNC(use, USE) ".text\n");

int main(void)
{
	int s = 0;
	for (int i = 0; i < 7; i++)
		s += use(i);
	printf("%d\n", s);
	return 0;
}
