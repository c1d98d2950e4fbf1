/* gcc's nested functions: a trampoline on an executable stack calls into the program. */
//# cc: gcc
//# each: -O0 | -O2
//# stdout: 285
#include <stdio.h>

__attribute__((noinline)) static void each(int n, void (*f)(int))
{
	for (int i = 0; i < n; i++)
		f(i);
}

int main(void)
{
	int s = 0;
	void add(int x)
	{
		s += x * x;
	}

	each(10, add);
	printf("%d\n", s);
	return 0;
}
