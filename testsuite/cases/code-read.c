/* The first bytes of a function are read: they are those of the plain link. */
/* hazard: code read as data. */
//# targets: x86_64 aarch64 riscv64; MIPS loads bytes as no operation that is known
//# cc: gcc
//# cflags: -O2 -fno-toplevel-reorder
//# opaque: looked_at
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int looked_at(int n)
{
	int s = 1;

	for (int i = 0; i < n; i++) {
		s += i ^ n;
		__asm__ volatile("" : "+r"(s));
		s ^= s & 4 ? 2 : 0;
	}
	return s;
}

int main(int argc, char **argv)
{
	unsigned char start[5];

	(void)argv;
	printf("%d", looked_at(5 + argc));
	memcpy(start, (const void *)looked_at, sizeof start);
	for (size_t i = 0; i < sizeof start; i++)
		printf(" %02x", start[i]);
	putchar('\n');
	return 0;
}
