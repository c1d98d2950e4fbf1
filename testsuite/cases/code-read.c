/* Bytes of functions are read, by loads of all kinds: they are those of the plain link. */
/* hazard: code read as data. */
//# cc: gcc
//# cflags: -O2 -fno-toplevel-reorder -fno-tree-vectorize
//# opaque: bytes words parts half inside pointed
#include <stdio.h>
#include <string.h>

#define LOOKED_AT(name, more)                                                                      \
	__attribute__((noinline)) static int name(int n)                                           \
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

LOOKED_AT(bytes, 2)
LOOKED_AT(words, 3)
LOOKED_AT(parts, 8)
LOOKED_AT(half, 9)
LOOKED_AT(inside, 16)
LOOKED_AT(pointed, 32)

static const unsigned char *const volatile pointer = (const unsigned char *)pointed;

int main(int argc, char **argv)
{
	unsigned char start[5];
	unsigned word[2], part;

	(void)argv;
	printf("%d %d %d", bytes(argc), words(argc), parts(argc));
	printf(" %d %d %d\n", half(argc), inside(argc), pointed(argc));
	memcpy(start, (const void *)bytes, sizeof start);
	for (size_t i = 0; i < sizeof start; i++)
		printf(" %02x", start[i]);
	memcpy(word, (const char *)words + 4, sizeof word);
	memcpy(&part, (const char *)parts + 1, sizeof part);
	printf(" %x %x %x %x", word[0], word[1], part, ((const unsigned short *)half)[4]);
	printf(" %x", ((const unsigned char *)inside)[6]);
	printf(" %x\n", pointer[2]);
	return 0;
}
