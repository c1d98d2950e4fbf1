/* Tables whose index is bounded by a mask or by its type, not by a comparison. */
/* hazard: table without a bound. */
//# each: -O2 | -O2 -fno-pie -no-pie | -O1 -fPIC
//# stdout: 8488
#include <stdio.h>

static volatile int v = 1;

__attribute__((noinline)) int mask(unsigned x)
{
	switch (x & 7) {
	case 0: v = 2; return 1;
	case 1: return v + 1;
	case 2: v = 3; return 7;
	case 3: return v * 3;
	case 4: return v ^ 9;
	case 5: v = 1; return 2;
	case 6: return v | 8;
	case 7: return v << 4;
	}
	return 0;
}

__attribute__((noinline)) int byte(unsigned char x)
{
	switch (x >> 5) {
	case 0: v = 2; return 1;
	case 1: return v + 1;
	case 2: v = 3; return 7;
	case 3: return v * 3;
	case 4: return v ^ 9;
	case 5: v = 1; return 2;
	case 6: return v | 8;
	}
	return v << 4;
}

int main(void)
{
	int s = 0;

	for (int i = 0; i < 512; i++)
		s += mask(i) + byte((unsigned char)i);
	printf("%d\n", s);
	return 0;
}
