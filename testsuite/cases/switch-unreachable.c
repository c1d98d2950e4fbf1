/* clang fills the holes of a table without default with the address after the function. */
/* hazard: table entry past the end. */
//# each: -O2 | -O2 -fno-pie -no-pie | -O2 -ffunction-sections | -O2 -fPIC | -O3 -fno-pie -no-pie -ffunction-sections
//# stdout: 1120
#include <stdio.h>

static volatile int v = 1;

__attribute__((noinline)) int hole(unsigned x)
{
	switch (x) {
	case 0: v++; return 1;
	case 3: return v + 2;
	case 5: v--; return 4;
	case 9: return v ^ 3;
	case 11: return v * 7;
	case 14: return 3 - v;
	case 17: return v << 3;
	default: __builtin_unreachable();
	}
}

__attribute__((noinline)) int after(int y) { return y * 2; }

int main(void)
{
	static const unsigned char ok[] = { 0, 3, 5, 9, 11, 14, 17 };
	int s = 0;

	for (int i = 0; i < 140; i++)
		s += hole(ok[i % 7]);
	printf("%d\n", after(s));
	return 0;
}
