/* Two tables of labels next to each other: gcc loads words of the second one at a distance from the first. */
/* hazard: table at a distance from another. */
//# cflags: -O2
//# stdout: 303 297
#include <stdio.h>

__attribute__((noinline, noipa)) static unsigned long walk(const char *p, int n, int k)
{
	static const void *const words[] = { &&A, &&B, &&C, &&D };
	static const void *const late[] = { &&X, &&Y, &&Z };
	const void *const *q = late + k;
	unsigned long r = n;

	for (; *p; p++) {
		goto *words[*p & 3];
	A: r++; continue;
	B: r += 5; continue;
	C: r ^= 6; continue;
	D: r *= 2; goto **q;
	X: r += 7; q = late + 1; continue;
	Y: r *= 3; q = late + 2; continue;
	Z: q = late; continue;
	}
	return r;
}

int main(void)
{
	const char *s = "djfhdhsgfkleyrue";

	printf("%lu %lu\n", walk(s, 4, 0) % 1000, walk(s, 5, 2) % 1000);
	return 0;
}
