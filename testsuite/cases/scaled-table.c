/* hazard: table of scaled distances.  The entries are bytes, halfwords or words, by the function's size. */
//# each: -O2 -fwrapv | -O2 -fwrapv -DPAD=R100 | -O2 -fwrapv -DPAD=R10000 | -Os -fwrapv | -O2 -fwrapv -fPIC
/* clang's long branches of n64 compute with their return address. */
//# either.mips64el: step
//# stdout: 8385 20
#include <stdio.h>
#define R10(x) x x x x x x x x x x
#define R100 R10(R10("nop\n"))
#define R10000 R10(R10(R100))
#ifndef PAD
#define PAD ""
#endif
#define GAP __asm__ volatile(PAD) /* compilers count its lines */

__attribute__((noinline)) static int step(int n, int r)
{
	switch (n) {
	case 0: GAP; return r * 3 + 1;
	case 1: r ^= 0x55; break;
	case 2: GAP; r = -r; break;
	case 3: r >>= 1; /* fall through */
	case 4: r += 77; break;
	case 5: GAP; return step(r & 3, r);
	case 6: r *= r; break;
	case 8: r = ~r; break;
	case 9 ... 10: r ^= 9; break;
	case 11: r += 3; break;
	case 12: r *= 7; break;
	case 13: r -= 13; break;
	case 14: r |= 2; break;
	case 15: r = r / 2; break;
	case 16: r &= 0x7ffff; break;
	case 17: GAP; r %= 1000; break;
	case 19: r <<= 2; break;
	default: r--;
	}
	return r + n;
}

__attribute__((noinline)) static int run(const char *p, int n, int r)
{
	for (; n; n--) /* the address of the table may be made in front of the loop */
		switch (*p++ - 'a') {
		case 0: r++; break;
		case 1: r <<= 1; break;
		case 2: r -= 5; break;
		case 3: r ^= n; break;
		case 4: r = r / 3; break;
		case 5: r |= 1; break;
		case 6: r &= ~1; break;
		case 7: r *= 2; break;
		case 8: r -= n; break;
		case 9: r %= 77; break;
		case 10: r += n; break;
		case 11: r ^= 3; break;
		case 12: r *= 5; break;
		case 14: r -= 11; break;
		case 15: r >>= 1; break;
		case 16: r = -r; break;
		case 17: r = ~r; break;
		}
	return r;
}

int main(void)
{
	int r = 1;
	for (int i = -2; i < 40; i++)
		r = step(i % 21, r) * 5;
	printf("%d %d\n", r, run("abcdefgzaphnomklijq", 19, 3));
	return 0;
}
