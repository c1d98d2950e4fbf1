/* A computed goto leads where a word of a table says, or to labels that the function names itself. */
//# either.mips: late
//# either.mipsel: late
//# either.mips64el: late
//# cflags: -O2
#include <stdio.h>
__attribute__((noinline, noipa)) static unsigned long late(const char *p, int n)
{
	static const void *const a[] = { &&A, &&B, &&C, &&D };
	const void *next = &&A;
	unsigned long r = n;
	while (*p) {
		if (r & 4)
			next = a[*p & 3];
		p++;
		goto *next;
	A: r++; continue;
	B: r += 5; next = &&C; continue;
	C: r ^= 6; continue;
	D: r *= 2;
	}
	return r;
}
int main(void)
{
	printf("%lu\n", late("djfhdhsgfkleyrue", 4) % 1000);
	return 0;
}
