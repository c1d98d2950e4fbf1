/* Bytes of functions are read by what their addresses are passed to: they are those of the plain link. */
/* hazard: code read by a callee. */
//# cc: gcc
//# cflags: -O2 -fno-toplevel-reorder
//# opaque: copied written summed nested spanned spanned_end
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOKED_AT(name, part, more)                                                                \
	__attribute__((noinline, section(".text." part))) int name(int n)                          \
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

LOOKED_AT(copied, "copied", 2)
LOOKED_AT(written, "written", 3)
LOOKED_AT(summed, "summed", 8)
LOOKED_AT(nested, "nested", 9)
LOOKED_AT(called, "called", 10)
LOOKED_AT(spanned, "spanned", 16)
LOOKED_AT(spanned_end, "spanned", 32)

__attribute__((noipa)) static unsigned sum(const unsigned char *p, size_t n)
{
	unsigned s = 0;

	for (size_t i = 0; i < n; i++)
		s = s * 31 + p[i];
	return s;
}

__attribute__((noipa)) static unsigned more(int a, const void *p)
{
	return sum(p, 8) + (unsigned)a;
}

__attribute__((noipa)) static unsigned span(const char *from, const char *to)
{
	return sum((const unsigned char *)from, (size_t)(to - from));
}

__attribute__((noipa)) static int apply(int (*f)(int), int n)
{
	return f ? f(n) : 0;
}

int main(int argc, char **argv)
{
	unsigned char bytes[48];
	int fd[2];
	volatile size_t n = 12;

	(void)argv;
	printf("%d %d %d", copied(argc), written(argc), summed(argc));
	printf(" %d %d %d", nested(argc), spanned(argc), spanned_end(argc));
	printf(" %d\n", apply(called, 3));
	memcpy(bytes, (const void *)copied, n);
	printf("%x", sum(bytes, n));
	if (pipe(fd) || write(fd[1], (const void *)written, 12) != 12 || read(fd[0], bytes, 12) != 12)
		return 1;
	printf(" %x %x", sum(bytes, 12), sum((const unsigned char *)summed, 12));
	printf(" %x %x\n", more(2, (const void *)nested), span((const char *)spanned, (const char *)spanned_end));
	return 0;
}
