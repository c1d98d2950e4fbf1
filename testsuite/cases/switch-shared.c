// Two jumps by tables of their own that lead to the same blocks: each edge has its own count.
//# each: -O2|-O1 -fPIC
//# cflags.aarch64: --param=case-values-threshold=4
//# cc.aarch64: gcc
//# stdout: 1 12 14 23 15 30
//# places.x86_64: tables
//# places.aarch64: tables
//# places.riscv64: tables
#include <stdio.h>

static int n[6];

__attribute__((noinline)) static void pick(unsigned a, unsigned b)
{
	if (b & 1)
		switch (a) {
		case 0: goto zero;
		case 1: goto one;
		case 2: goto two;
		case 3: goto three;
		case 4: goto four;
		case 5: goto one;
		default: return;
		}
	switch (a + b) {
	case 2: goto four;
	case 3: goto three;
	case 4: goto two;
	case 5: goto one;
	case 6: goto one;
	case 7: goto five;
	default: return;
	}
zero:
	n[0]++;
	return;
one:
	n[1] += 2;
	return;
two:
	n[2] += n[1];
	return;
three:
	n[3] += n[0] + 7;
	return;
four:
	n[4] += 5;
	return;
five:
	n[5] += n[3];
}

int main(void)
{
	for (unsigned b = 0; b < 3; b++)
		for (unsigned a = 0; a < 9 - b; a++)
			pick(a, b);
	printf("%d %d %d %d %d %d\n", n[0], n[1], n[2], n[3], n[4], n[5]);
}
