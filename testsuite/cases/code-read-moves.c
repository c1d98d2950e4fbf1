/* A loop that loads with write-back (AArch64) reads a short function, and the one behind it. */
/* hazard: code read as data. */
//# cc: gcc
//# cflags: -O2 -fno-toplevel-reorder
//# opaque: tiny next
#include <stdio.h>

void tiny(void);
asm(".section .text.pair, \"ax\"\n\t.balign 4\n\t.globl tiny\n\t.type tiny, %function\ntiny: ret\n\t.size tiny, . - tiny\n\t.text");

__attribute__((noinline, section(".text.pair"))) int next(int n)
{
	int s = 1;

	for (int i = 0; i < n; i++) {
		s += i ^ n;
		__asm__ volatile("" : "+r"(s));
		s ^= s & 4 ? 3 : 0;
	}
	return s;
}

__attribute__((noipa)) static unsigned sum(const unsigned char *p)
{
	unsigned s = 0;

	for (int i = 0; i < 28; i++)
		s = s * 31 + p[i];
	return s;
}

int main(int argc, char **argv)
{
	(void)argv;
	tiny();
	printf("%d %x\n", next(argc + 3), sum((const unsigned char *)tiny));
	return 0;
}
