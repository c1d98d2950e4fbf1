/* clang's map of blocks: of functions in one piece, and of functions in parts. */
/* hazard: section of code distances. */
//# targets: x86_64 aarch64; clang makes such sections for no other of the CPUs
//# cc: clang-19
//# each: -fbasic-block-address-map | -fbasic-block-address-map -ffunction-sections -O1
//# each.x86_64: -fbasic-block-address-map -fbasic-block-sections=all
//# cflags: -Wno-unused
//# stdout: 31 odd
#include <stdio.h>

__attribute__((noinline)) static int sum(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += i % 3 ? i : n % 7 ? 1 : 2;
	return s;
}

int main(int argc, char **argv)
{
	int s = sum(argc + 9);

	printf("%d %s\n", s, s & 1 ? "odd" : "even");
	return 0;
}
