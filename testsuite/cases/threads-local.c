/* Thread-local variables beside the word by which threads find their counters: few, many, and aligned. */
//# each: -O2 -DBYTES=8 -DALIGN=8 | -O1 -DBYTES=500 -DALIGN=64 -fno-pie -no-pie | -O1 -DBYTES=70000 -DALIGN=4096
//# libs: -pthread
//# stdout: 8000 8
//# report: step 8000
//# stats.aarch64: counters are by thread
//# oracle: no, threads
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static __thread unsigned char set[BYTES] = {1};
static __thread long zero[3] __attribute__((aligned(ALIGN)));
static long steps, same;

__attribute__((noinline, noipa)) static long step(long x)
{
	zero[x & 1]++;
	return x % 3 ? x / 3 : x * 5 + 1;
}

static void *run(void *arg)
{
	long x = (long)arg;

	for (int i = 0; i < 1000; i++)
		x = step(x ^ i);
	__atomic_fetch_add(&steps, zero[0] + zero[1] + zero[2], __ATOMIC_RELAXED);
	__atomic_fetch_add(&same, set[0] == 1 && !set[BYTES - 1], __ATOMIC_RELAXED);
	return (void *)x;
}

int main(void)
{
	pthread_t t[8];

	for (long i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld\n", steps, same);
	return 0;
}
