/* A table of a switch is read by a load with an index, of the DSP extension. */
//# targets: mips mipsel mips64el; other CPUs have no such load
//# cc: gcc
//# cflags: -mips32r2 -mdsp
//# each: -O2 | -Os -fno-pic -no-pie
//# env: QEMU_CPU=74Kf
//# cflags.mips64el: -mips64r2 -mdsp
//# env.mips64el: QEMU_CPU=mips64dspr2
//# stdout: 123 25
#include <stdio.h>
#include <stdlib.h>

static int count[7];
static const unsigned char small[8] = {4, 0, 3, 1};
static const short medium[8] = {0, 5, -2};

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

__attribute__((noinline)) int pick(unsigned i, unsigned k)
{
	switch (small[i & 7]) {
	case 0: return medium[k & 7] + 11;
	case 1: return medium[k & 7] - 1;
	case 2: return 2;
	case 3: return medium[i & 7];
	case 4: return medium[k & 7] * 2 + 7;
	case 5: return 9;
	default: return -1;
	}
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 7; i++)
		sum += choose(i);
	printf("%d %d\n", sum, pick(1, 3) + pick(0, 1) + pick(3, 2));
	return 0;
}
