/* Debug information that is compressed in GNU's old way, in sections named .zdebug_*, is read. */
//# targets: x86_64 aarch64 mips; GNU ld, which makes the program, must be 2.41 or later for RISC-V
//# cc: gcc
//# cflags: -g -gz=zlib-gnu
//# each: -O2 | -O1 -gdwarf-4 -ffunction-sections
//# stdout: 10
#include <stdio.h>

__attribute__((noinline)) static int sum(int n)
{
	int s = 0;

	for (int i = 1; i <= n; i++)
		s += i;
	return s;
}

int main(void)
{
	printf("%d\n", sum(4));
	return 0;
}
