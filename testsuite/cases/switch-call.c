/* A call alone in its block makes the index of a jump table: control does come from it, with a number that is not known. */
//# cflags: -O2
//# stdout: 24 49 2 -9
//# report: next 20
#include <stdio.h>

__attribute__((noinline, noipa)) static int next(void)
{
	static int n;
	return n++;
}
__attribute__((noinline, noipa)) static void skip(void) { next(); }

__attribute__((noinline, noipa)) static int pick(int x)
{
	skip();
	switch (next()) {
	case 0: return x * 3;
	case 1: return x + 17;
	case 2: return x / 7;
	case 3: return x * x;
	case 4: return x % 3;
	case 5: return x ^ 5;
	case 6: return x & 12;
	case 7: return x | 48;
	case 8: return x >> 1;
	case 9: return x - 1;
	case 10: return x << 2;
	case 11: return ~x;
	case 12: return x * 5;
	case 13: return x - 9;
	case 14: return x / 3;
	case 15: return x ^ 77;
	case 16: return x % 11;
	case 17: return -x;
	case 18: return x + 1;
	case 19: return x * 9;
	default: return x / 2;
	}
}

int main(void)
{
	int n[10];
	for (int i = 0; i < 10; i++)
		n[i] = pick(7 * (i < 4));
	printf("%d %d %d %d\n", n[0], n[1], n[2], n[6]);
	return 0;
}
