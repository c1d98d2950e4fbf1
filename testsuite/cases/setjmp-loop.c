/* setjmp in a function with many live values, returned to a hundred times. */
//# each: -O0 | -O2 | -O3
//# stdout: 100 5050
#include <setjmp.h>
#include <stdio.h>

static jmp_buf env;

__attribute__((noinline)) static void again(int n)
{
	longjmp(env, n);
}

int main(void)
{
	volatile int sum = 0;
	int n = setjmp(env);

	sum += n;
	if (n < 100)
		again(n + 1);
	printf("%d %d\n", n, sum);
	return 0;
}
