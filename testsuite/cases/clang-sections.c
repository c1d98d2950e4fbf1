/* Sections in which clang describes code to the linker and to tools. */
//# cc: clang-19
//# cflags: -O2
//# each: -fstack-size-section | -fstack-size-section -ffunction-sections | -g -gz=zstd
//# stdout: 11 12
#include <stdio.h>

__asm__(".cg_profile main, once, 7\n.cg_profile main, twice, 1");

__attribute__((noinline)) int once(int n) { return n > 3 ? n + 1 : n; }
__attribute__((noinline)) int twice(int n) { return n > 3 ? n + 2 : n; }

int main(void)
{
	int n = 10;

	__asm__("" : "+r"(n));
	printf("%d %d\n", once(n), twice(n));
	return 0;
}
