/* clang puts each basic block into a section of its own: all jumps have relocations. */
/* hazard: blocks in sections. */
//# targets: x86_64; clang makes such sections for no other of the CPUs
//# cc: clang-19
//# cflags: -fbasic-block-sections=all
//# each: -O1 | -O2 -ffunction-sections
//# stdout: 192623
//# opaque:
#include <stdio.h>

__attribute__((noinline)) int classify(int x)
{
	if (x % 2 == 0)
		return x % 3 ? 1 : x;
	if (x % 5 == 0)
		return 5 * x;
	while (x % 7)
		x++;
	return x;
}

int main(void)
{
	int s = 0;

	for (int i = 0; i < 600; i++)
		s += classify(i);
	printf("%d\n", s);
	return 0;
}
