/* Every block of a program with many threads at once, against the emulator. */
//# each: -DN=2 -O0 | -DN=8 | -DN=32 -O3
//# libs: -pthread
//# report: run 64
//# oracle: atomic
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

static void *run(void *arg)
{
	unsigned v[300], x = (unsigned)(long)arg;
	long sum = 0;

	for (int i = 0; i < 300; i++)
		v[i] = x = x * 1664525 + 1013904223;
	qsort(v, 300, sizeof v[0], by_value);
	for (int i = 0; i < 300; i++)
		switch (v[i] >> 28) {
		case 0: case 7: sum += i; break;
		case 3: sum ^= v[i]; break;
		default: sum -= v[i] & 1 ? 1 : i;
		}
	return (void *)sum;
}

int main(void)
{
	pthread_t t[N];
	long sum = 0;
	void *one;

	for (int k = 0; k < 64 / N; k++) {
		for (long i = 0; i < N; i++)
			pthread_create(&t[i], NULL, run, (void *)(k * N + i));
		for (int i = 0; i < N; i++, sum += (long)one)
			pthread_join(t[i], &one);
	}
	printf("%ld\n", sum);
	return 0;
}
