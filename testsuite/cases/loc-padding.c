/* clang -O3 describes a variable in no-ops in front of a loop, which may be removed. */
//# cflags: -O3
//# stdout: -1
#include <stdio.h>

int left = 3;

__attribute__((noinline)) static int count(void)
{
	int a = 0xff, c;
	for (; left; left--) {
		c = 1;
		__asm__("" : : "r"(c));
		c = (signed char)a;
	}
	return c;
}

int main(void)
{
	printf("%d\n", count());
	return 0;
}
