/* Addresses of static functions in the same section: lea without any relocation. */
/* hazard: address without relocation. */
//# each: -O2 -fPIC | -O0 | -O2
//# stdout: 499500 same
#include <stdio.h>

typedef int (*fn)(int);
__attribute__((noinline)) static int id(int x) { return x; }
__attribute__((noinline)) static int zero(int x) { return 0 * x; }
__attribute__((noinline)) static int apply(fn f, int x) { return f(x); }
__attribute__((noinline)) static fn choose(int k) { return k ? id : zero; }

int main(void)
{
	int s = 0;

	for (int i = 0; i < 1000; i++)
		s += apply(choose(1), i) + apply(choose(0), i);
	printf("%d %s\n", s, choose(1) == id ? "same" : "different");
	return 0;
}
