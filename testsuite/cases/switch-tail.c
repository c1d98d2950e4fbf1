/* A table's address is kept in a register over a loop, in a function that ends in a call by a pointer. */
/* hazard: hoisted table base. */
//# each: -O2 | -O2 -fPIC
//# stdout: 84 11
#include <stdio.h>

__attribute__((noinline, noipa)) static int step(int x)
{
	return x + 1;
}

__attribute__((noinline, noipa)) static int walk(const unsigned char *p, int (*fn)(int), int (*end)(int), int n)
{
	if (n > 9)
		return end(n);
	for (;; p++)
		switch (*p) {
		case 0: n = fn(n); break;
		case 1: n = fn(n * 3); break;
		case 2: n = fn(n) ^ fn(5); break;
		case 3: n -= fn(7); break;
		case 4: n = fn(n) + fn(2 * n); break;
		case 5: return n;
		}
}

int main(void)
{
	static const unsigned char code[] = { 0, 1, 4, 2, 1, 3, 0, 5 };

	printf("%d %d\n", walk(code, step, step, 1), walk(code, step, step, 10));
	return 0;
}
