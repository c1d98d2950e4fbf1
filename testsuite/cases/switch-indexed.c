/* A table of a switch is read by a load with an index, of the DSP extension. */
//# targets: mips mipsel; other CPUs have no such load
//# cc: gcc
//# cflags: -mips32r2 -mdsp
//# each: -O2 | -Os -fno-pic -no-pie
//# env: QEMU_CPU=74Kf
//# stdout: 123
#include <stdio.h>
#include <stdlib.h>

static int count[7];

__attribute__((noinline)) int choose(int n)
{
	switch (n) {
	case 0: return 5;
	case 1: count[1]++; return 9;
	case 2: return abs(count[1]) + 2;
	case 3: count[3] += 2; return count[3];
	case 4: return 77;
	case 6: return 12;
	default: return n * 3;
	}
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 7; i++)
		sum += choose(i);
	printf("%d\n", sum);
	return 0;
}
