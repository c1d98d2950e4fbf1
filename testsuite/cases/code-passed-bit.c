/* A callee reads what it is given if a bit of that, or of another argument, is 1. */
/* hazard: pointer to a member function. */
//# cc: gcc
//# cflags: -O2
//# opaque: odd told
#include <stdint.h>
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

LOOKED_AT(even, 2)
LOOKED_AT(odd, 3)
LOOKED_AT(told, 4)
LOOKED_AT(not_told, 5)

__attribute__((noipa)) static unsigned by_bit(const unsigned char *p)
{
	return (uintptr_t)p & 1 ? p[7] * 256u + p[3] : 7;
}

__attribute__((noipa)) static unsigned if_told(const unsigned char *p, long how)
{
	return how & 1 ? p[4] * 256u + p[8] : 9;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %d %d %d", even(argc), odd(argc), told(argc), not_told(argc));
	printf(" %x %x", by_bit((const unsigned char *)even), by_bit((const unsigned char *)odd + 1));
	printf(" %x %x\n", if_told((const unsigned char *)told, 3), if_told((const unsigned char *)not_told, 0));
	return 0;
}
