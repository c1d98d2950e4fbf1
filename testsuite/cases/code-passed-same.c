/* A callee computes the distance of two functions that it is given: of one from itself it is 0 wherever that is. */
/* hazard: code read by a callee. */
//# cc: gcc
//# cflags: -O2 -fno-toplevel-reorder
//# opaque: one two
#include <stdio.h>

#define PLACED(name, part)                                                                         \
	__attribute__((noinline, section(".text." part))) int name(int n)                          \
	{                                                                                          \
		int s = 1;                                                                         \
                                                                                                   \
		for (int i = 0; i < n; i++) {                                                      \
			s += i ^ n;                                                                \
			__asm__ volatile("" : "+r"(s));                                            \
		}                                                                                  \
		return s;                                                                          \
	}

PLACED(alone, "alone")
PLACED(one, "pair")
PLACED(two, "pair")

__attribute__((noipa)) static long apart(const char *from, const char *to) { return to - from; }

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %d %d", alone(argc), one(argc), two(argc));
	printf(" %ld", apart((const char *)alone, (const char *)alone));
	printf(" %ld\n", apart((const char *)one, (const char *)two));
	return 0;
}
