/* hazard: unaligned function pointer.  It is loaded in two parts, from an address that is a sum. */
//# targets: mips mipsel mips64el; only these load a word in two parts
//# cflags: -O2
//# stdout: 7 9
#include <stdio.h>
#include <string.h>

typedef int fn(int);
struct unaligned {
	fn *f;
} __attribute__((packed));

static fn *volatile kept;
static volatile long off;

__attribute__((noinline)) static int twice(int x) { return 2 * x; }
__attribute__((noinline)) static int thrice(int x) { return 3 * x; }

__attribute__((noinline)) static int call(char *p, int x)
{
	kept = x & 1 ? twice : thrice;
	return ((struct unaligned *)(p + off))->f(x) + 1;
}

int main(int argc, char **argv)
{
	char bytes[3 * sizeof(fn *)];
	fn *f = twice;

	(void)argv;
	off = argc;
	memcpy(bytes + off, &f, sizeof f);
	printf("%d %d\n", call(bytes, 3), call(bytes, 4));
	return 0;
}
