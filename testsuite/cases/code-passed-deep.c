/* The address of a function is passed on from call to call, six times and in a cycle, to what reads its bytes. */
/* hazard: code read by a callee. */
//# cc: gcc
//# cflags: -O2
//# opaque: looked_at walked
#include <stdio.h>

#define LOOKED_AT(name, more)                                                                      \
	__attribute__((noinline, section(".text." #name))) int name(int n)                         \
	{                                                                                          \
		int s = 1;                                                                         \
                                                                                                   \
		for (int i = 0; i < n; i++) {                                                      \
			s += i ^ n;                                                                \
			__asm__ volatile("" : "+r"(s));                                            \
			s ^= s & 4 ? more : 0;                                                     \
		}                                                                                  \
		return s;                                                                          \
	}

LOOKED_AT(looked_at, 2)
LOOKED_AT(walked, 3)

__attribute__((noipa)) static unsigned sum(const unsigned char *p)
{
	unsigned s = 0;

	for (int i = 0; i < 12; i++)
		s = s * 31 + p[i];
	return s;
}

#define PASS(name, to)                                                                             \
	__attribute__((noipa)) static unsigned name(const unsigned char *p)                        \
	{                                                                                          \
		return to(p) + 1;                                                                  \
	}

PASS(five, sum)
PASS(four, five)
PASS(three, four)
PASS(two, three)
PASS(one, two)

/* each call passes the next address on */
__attribute__((noipa)) static unsigned walk(const unsigned char *p, int n)
{
	return n ? walk(p + 1, n - 1) * 31 + 1 : sum(p);
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %d", looked_at(argc), walked(argc));
	printf(" %x %x\n", one((const unsigned char *)looked_at), walk((const unsigned char *)walked, 3));
	return 0;
}
