/*
 * A function loads its caller's saved return address, and so returns to the caller of that.  On AArch64 one jumps by
 * the return instruction, with another register.
 */
/* hazard: return that jumps. */
//# targets: aarch64 riscv64 mips mipsel mips64el; calls of x86_64 push the return address
//# cc: gcc
//# stdout: 200 390
#include <stdio.h>

#if defined __aarch64__
#define SAVE "str x30, [sp, #-16]!\n"
#define RESTORE "ldr x30, [sp], #16\n"
#define CALL "tbnz w0, #0, 2f\nbl skip\n2: add w0, w0, #1\n"
#define RET "ret\n"
#define JUMP "mov x9, x1\nmov w1, #2\nmov w2, #3\nmov w3, #4\nret x9\n"
#elif defined __riscv
#define SAVE "addi sp, sp, -16\nsd ra, 8(sp)\n"
#define RESTORE "ld ra, 8(sp)\naddi sp, sp, 16\n"
#define CALL "andi t0, a0, 1\nbnez t0, 2f\ncall skip\n2: addi a0, a0, 1\n"
#define RET "ret\n"
#define JUMP "mv t1, a1\nli a1, 2\nli a2, 3\nli a3, 4\njr t1\n"
#else
#if __SIZEOF_POINTER__ == 8
#define SAVE "daddiu $29, $29, -32\nsd $31, 24($29)\n"
#define RESTORE "ld $31, 24($29)\ndaddiu $29, $29, 32\n"
#else
#define SAVE "addiu $29, $29, -32\nsw $31, 28($29)\n"
#define RESTORE "lw $31, 28($29)\naddiu $29, $29, 32\n"
#endif
#define CALL ".set noreorder\nandi $8, $4, 1\nbnez $8, 2f\nmove $2, $4\nbal skip\nnop\n2: addiu $2, $2, 1\n"
#define RET "jr $31\nnop\n.set reorder\n"
#define JUMP ".set noreorder\nmove $25, $5\nli $5, 2\nli $6, 3\nli $7, 4\njr $25\nnop\n.set reorder\n"
#endif
#define FUNC(f, body) ".type " #f ", %function\n" #f ":\n" body ".size " #f ", .-" #f "\n"

int inner(int n);
int jump(int n, int (*to)(int, int, int, int));
asm(".text\n" FUNC(skip, RESTORE RET) ".globl inner, jump\n" FUNC(inner, SAVE CALL RESTORE RET) FUNC(jump, JUMP));

static int sum(int a, int b, int c, int d) { return a + b * c + d; }

int main(void)
{
	int s = 0, t = 0;
	for (int i = 0; i < 20; i++) {
		s += inner(i);
		t += jump(i, sum);
	}
	printf("%d %d\n", s, t);
	return 0;
}
