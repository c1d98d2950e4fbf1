/* Callbacks from libc, with a static libc of which both sides are instrumented. */
//# each: -O2 | -O2 -static | -O0
//# stdout: 0 499 999 1
//# oracle: qemu
#include <stdio.h>
#include <stdlib.h>

static int compared;

static int compare(const void *a, const void *b)
{
	compared++;
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int v[1000], key = 77;

	for (int i = 0; i < 1000; i++)
		v[i] = i * 7919 % 1000;
	qsort(v, 1000, sizeof *v, compare);
	int *found = bsearch(&key, v, 1000, sizeof *v, compare);

	printf("%d %d %d %d\n", v[0], v[499], v[999], found == v + 77 && compared > 1000);
	return 0;
}
