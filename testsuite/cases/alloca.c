/* alloca and variable-length arrays: the stack pointer moves in the middle of functions. */
//# each: -O0 | -O2 | -O2 -fno-omit-frame-pointer
//# stdout: 332833500
//# report: use 1000
#include <alloca.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline, noipa)) static long use(int n)
{
	char *p = alloca(n + 1);
	int v[n + 1];

	memset(p, 1, n + 1);
	for (int i = 0; i <= n; i++)
		v[i] = n * p[i];
	long s = 0;
	for (int i = 0; i < n; i++)
		s += v[i];
	return s;
}

int main(void)
{
	long s = 0;

	for (int i = 0; i < 1000; i++)
		s += use(i);
	printf("%ld\n", s);
	return 0;
}
