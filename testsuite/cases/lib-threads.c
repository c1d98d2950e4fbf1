/* A library that several threads enter at once, after one has counted in it alone. */
//# each: -DN=2 -O0 | -DN=8 | -DN=32 -O3
//# lib: liba.so -DLIB
//# libs: -l:liba.so -pthread
//# report: work 65
//# oracle: atomic
#include <pthread.h>
#include <stdio.h>
unsigned work(unsigned x);
#ifdef LIB
unsigned work(unsigned x)
{
	unsigned sum = 0;

	for (int i = 0; i < 2000; i++) {
		x = x * 1664525 + 1013904223;
		switch (x >> 28) {
		case 0: case 7: sum += (unsigned)i; break;
		case 3: sum ^= x; break;
		default: sum -= x & 1 << 16 ? 1 : (unsigned)i;
		}
	}
	return sum;
}
#else
static void *run(void *arg) { return (void *)(long)work((unsigned)(long)arg); }

int main(void)
{
	pthread_t t[N];
	unsigned sum = work(99);
	void *one;

	for (int k = 0; k < 64 / N; k++) {
		for (long i = 0; i < N; i++)
			pthread_create(&t[i], NULL, run, (void *)(k * N + i));
		for (int i = 0; i < N; i++, sum += (unsigned)(long)one)
			pthread_join(t[i], &one);
	}
	printf("%u\n", sum);
	return 0;
}
#endif
