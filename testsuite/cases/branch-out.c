// A branch that leads to another function: local, in another section, of a library.
//# stdout: 20100 -1 100
//# places: exits
#include <stdio.h>
#include <stdlib.h>

int pick(int x);

#ifdef __x86_64__
asm(".section .text.large,\"ax\"\n.type large, @function\nlarge: mov $100, %eax; ret\n"
    ".text\n.type zero, @function\nzero: mov $-1, %eax; ret\n"
    ".globl pick\n.type pick, @function\n"
    "pick: test %edi, %edi; je zero; js abs@plt; cmp $100, %edi; jge large; lea (%rdi), %eax; ret\n");
#elif defined __aarch64__
asm(".section .text.large,\"ax\"\n.type large, @function\nlarge: mov w0, #100; ret\n"
    ".text\n.type zero, @function\nzero: mov w0, #-1; ret\n.type minus, @function\nminus: neg w0, w0; ret\n"
    ".globl pick\n.type pick, @function\n"
    "pick: cbz w0, zero; tbnz w0, #31, minus; cmp w0, #100; b.ge large; ret\n");
#elif defined __riscv
asm(".text\n.type zero, @function\nzero: li a0, -1; ret\n.type minus, @function\nminus: neg a0, a0; ret\n"
    ".type large, @function\nlarge: li a0, 100; ret\n.globl pick\n.type pick, @function\n"
    "pick: beqz a0, zero; bltz a0, minus; li a1, 100; bge a0, a1, large; ret\n");
#else
asm(".text\n.set noreorder\n.type zero, @function\nzero: jr $31; li $2, -1\n"
    ".type minus, @function\nminus: jr $31; subu $2, $0, $4\n.type large, @function\nlarge: jr $31; li $2, 100\n"
    ".globl pick\n.type pick, @function\n.ent pick\n"
    "pick: beqz $4, zero; slti $3, $4, 100; bltz $4, minus; nop; beqzl $3, large; nop; jr $31; move $2, $4\n.end pick\n");
#endif

int main(void)
{
	int sum = 0;
	for (int i = -200; i < 0; i++)
		sum += pick(i);
	printf("%d %d %d\n", sum, pick(0), pick(7) + pick(100) - 7);
}
