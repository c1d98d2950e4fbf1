/* Recursion a hundred thousand frames deep uses not a byte more of stack than before. */
//# each: -O0 | -O1
//# stdout: 100000
//# report: deep 100001
#include <stdio.h>
#include <sys/resource.h>

__attribute__((noinline, noipa)) static int deep(int n)
{
	volatile int keep = n;

	if (n == 0)
		return 0;
	int r = deep(keep - 1);

	__asm__ volatile("" : "+r"(r));
	return r + 1;
}

int main(void)
{
	struct rlimit r = { 16 << 20, 16 << 20 };

	setrlimit(RLIMIT_STACK, &r);
	printf("%d\n", deep(100000));
	return 0;
}
