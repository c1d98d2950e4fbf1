/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of code in two halves: in a loop, in a delay slot, hoisted; a jump table. */
#include <stdio.h>
#include <stdlib.h>

static __thread int seen = 5;

static int up(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int down(const void *a, const void *b)
{
	return up(b, a);
}

static __attribute__((noinline)) int kind(int x)
{
	switch (x) {
	case 0: return 3;
	case 1: return 17;
	case 2: puts("two"); return 4;
	case 3: return 9;
	case 4: return printf("%d\n", x);
	case 5: return 6;
	case 6: return 77;
	case 8: return 5;
	default: return -1;
	}
}

int main(void)
{
	int v[] = {3, 1, 2, 9, 5};
	long sum = 0;

	for (int i = 0; i < 12; i++) {
		qsort(v, sizeof v / sizeof v[0], sizeof v[0], i & 1 ? up : down);
		sum = sum * 3 + v[i % 5] + kind(i) * seen++;
	}
	printf("%ld %g\n", sum, 1.0 / 3);
	return 0;
}
