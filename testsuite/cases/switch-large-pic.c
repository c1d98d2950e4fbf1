/* Jump tables of the large code model in PIC: 64-bit differences, movabs of GOTOFF64. */
/* hazard: GOT counted from a label. */
//# targets: x86_64; only there gcc has this code model
//# cc: gcc
//# cflags: -O2 -mcmodel=large -fPIC
//# each: -O1 | -O2
//# stdout: 4332
#include <stdio.h>

static volatile int v = 1;

__attribute__((noinline)) int sw(int x)
{
	switch (x) {
	case 0: return v * 3;
	case 1: v += 2; return v & 7;
	case 2: return v ^ 5;
	case 3: return v << 2;
	case 4: v--; return 9 - v;
	case 5: return v | 64;
	case 6: return -v;
	}
	return 1;
}

int main(void)
{
	int s = 0;

	for (int i = 0; i < 300; i++) {
		s += sw(i % 9);
		v &= 15;
	}
	printf("%d\n", s);
	return 0;
}
