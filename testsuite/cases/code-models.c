/* The tiny code model reaches everything by adr and ldr, the large one by words among the code. */
/* hazard: data in text. */
//# targets: aarch64; other CPUs have other models
//# each: -O2 -mcmodel=tiny | -Os -mcmodel=tiny -fno-pie -no-pie | -O2 -mcmodel=large -fno-pie -no-pie
//# stdout: 4 3 2 1 97 63.25
#include <stdio.h>
#include <stdlib.h>

static __thread int own = 3;
double factor = 0.25;
static int count[5];

__attribute__((noinline)) int choose(int n)
{
	switch (n) {
	case 0: return count[0]++ + 5;
	case 1: puts(""); return own;
	case 2: return abs(own) - own + 2;
	case 3: count[3] += 2; return 70;
	case 4: return count[4] = 17;
	case 6: return count[0] * 2;
	default: return n * own;
	}
}

int main(void)
{
	int sum = 0;

	for (int i = 4; i > 0; i--)
		printf("%d ", i);
	for (int i = 2; i < 5; i++)
		sum += choose(i);
	printf("%d %g\n", sum + choose(0) + own, factor + choose(7) * 3);
	return 0;
}
