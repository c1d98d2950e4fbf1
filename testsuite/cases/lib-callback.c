/* The library makes no thread, so the program's function that it calls by address has one thread: counters are plain. */
//# cflags: -O2
//# lib: liba.so -DLIB
//# libs: -l:liba.so
//# report: step 100
//# stats: counters are plain
//# stdout: 4950
#include <stdio.h>
#include <stdlib.h>
long sum(long (*of)(int), int n);
#ifdef LIB
long sum(long (*of)(int), int n)
{
	long *all = malloc((size_t)n * sizeof *all), s = 0;
	for (int i = 0; i < n; i++)
		all[i] = of(i);
	for (int i = 0; i < n; i++)
		s += all[i];
	free(all);
	return s;
}
#else
static long step(int n) { return n; }

int main(void)
{
	printf("%ld\n", sum(step, 100));
	return 0;
}
#endif
