/* A function with a switch makes the address of a label in it, as Free Pascal does where it raises an exception. */
//# each: -O1 | -O2 | -Os
//# stdout: 718 1
#include <stdio.h>

static const char *volatile at;

__attribute__((noinline)) static int step(unsigned x, int r)
{
	switch (x) {
	case 0: r = r * 3 + 1; break;
	case 1: r ^= 0x55; break;
	case 2: r += r >> 3; break;
	case 3: r = 7 - r; break;
	case 4: r = r << 1 | 1; break;
	case 5: r -= r / 5; break;
	case 6: at = &&raised; break;
	}
raised:
	return r & 0xfff;
}

int main(void)
{
	int r = 1, n = 0;
	for (unsigned i = 0; i < 100; i++)
		r = step(i * 5 % 8, r);
	n = at != NULL;
	printf("%d %d\n", r, n);
	return 0;
}
