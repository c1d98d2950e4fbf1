/* hazard: branch of 32 kB.  A test of one bit leads over nearly all that such a branch reaches. */
//# cflags.mips: -fno-pie -no-pie
//# cflags.mipsel: -fno-pie -no-pie
//# cflags.mips64el: -fno-pie -no-pie
//# stdout: 2600 1
//# report: far 2
//# each: -O2
#include <stdio.h>

#define TEN(x) x x x x x x x x x x

static volatile int v;

__attribute__((noinline)) static int far(long x)
{
	if (__builtin_expect(x & 8, 8)) {
		TEN(TEN(TEN(v++;) TEN(v++;)))
		TEN(TEN(v++; v++; v++; v++; v++; v++;))
		return v;
	}
	return 1;
}

int main(void)
{
	int a = far(8);

	printf("%d %d\n", a, far(4));
	return 0;
}
