/*
 * A function ends in a call of one that never returns, and behind it is one without a name: another object's took its
 * place.  What is live where the first returns to says nothing of the code behind it.
 */
//# obj: -DSTRONG
//# each: -O2 | -Os
//# stdout: 4 7
//# status: 3
#include <stdio.h>
#include <stdlib.h>

int later(int x);
#ifdef STRONG
int later(int x)
{
	return x + 3;
}
#else
static void __attribute__((noinline, noipa, noreturn)) die(int status)
{
	for (;;)
		if (status < 10)
			exit(status);
}
void last(int *x)
{
	if (*x > 5)
		die(3);
	*x += 3;
}
int __attribute__((weak)) later(int x)
{
	return x - 1;
}
static void (*volatile call)(int *) = last;

int main(void)
{
	int x = 1;
	call(&x);
	printf("%d %d\n", x, later(x));
	fflush(stdout);
	x = 6;
	call(&x);
	return 0;
}
#endif
