/* The smallest program: the expected number of calls of each function. */
//# stdout: hello 55
//# report: fib 177
//# report: main 1
//# each: -O0 | -O2
#include <stdio.h>

__attribute__((noinline, noipa)) static int fib(int n)
{
	if (n < 2)
		return n;
	int a = fib(n - 1), b = fib(n - 2);

	/* keeps the compiler from turning a call into a loop */
	__asm__ volatile("" : "+r"(a), "+r"(b));
	return a + b;
}

int main(void)
{
	printf("hello %d\n", fib(10));
	return 0;
}
