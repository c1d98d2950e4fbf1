/* In debug information the value of a variable is an address behind its code. */
//# stdout: 1
#include <stdio.h>

__attribute__((noinline)) static void f(void)
{
	__asm__ volatile("");
}

int main(void)
{
	unsigned long there = (unsigned long)&f + 0x7000;
	f();
	printf("%d\n", there - (unsigned long)&f == 0x7000);
	return 0;
}
