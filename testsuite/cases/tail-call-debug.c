/* A tail call alone in its block: debug information names the jump itself, not its counter. */
//# each: -O2 | -O2 -gdwarf-4 | -O0
//# stdout: 8 3 -2
#include <stdio.h>

__attribute__((noinline)) static int up(int *p)
{
	__asm__ volatile("");
	return *p + 1;
}

__attribute__((noinline)) static int down(int *p)
{
	__asm__ volatile("");
	return *p - 1;
}

__attribute__((noinline)) static int either(int *p)
{
	if (!p)
		return -2;
	return *p == 7 ? up(p) : down(p);
}

int main(void)
{
	int a = 7, b = 4;
	int *volatile p[] = { &a, &b, NULL };
	printf("%d %d %d\n", either(p[0]), either(p[1]), either(p[2]));
	return 0;
}
