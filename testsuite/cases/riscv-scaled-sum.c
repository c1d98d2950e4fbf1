/* A table of words in medlow code: the index is scaled and added by one instruction, sh2add. */
//# targets: riscv64; other CPUs have no such tables
//# cflags: -march=rv64gc_zba
//# each: -O2 -fno-pie -no-pie | -Os -fno-pie -no-pie
//# stdout: 7
//# stdout: 332797
#include <stdio.h>
__attribute__((noipa)) static int value(unsigned x, int y)
{
	switch (x) {
	case 0: return y * 3;
	case 1: return y + 7;
	case 2: return y ^ 5;
	case 3: return y << 3;
	case 4: return y - 9;
	case 5: return y / 3;
	case 6: return y % 7;
	case 7: puts("7"); return 2;
	default: return 1;
	}
}
int main(void)
{
	int sum = 0;
	for (unsigned i = 0; i < 10; i++)
		sum = sum * 3 + value(i, (int)i * 5 + 2);
	printf("%d\n", sum);
}
