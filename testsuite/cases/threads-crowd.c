/* 10,000 threads at once: what a new thread does does not depend on how many there are. */
//# libs: -pthread
//# targets: x86_64; the emulator takes too long for so many
//# stdout: 10000
//# report: run 10000
//# report: step 20000
//# oracle: no, threads
#include <pthread.h>
#include <stdio.h>

enum { N = 10000 };
static pthread_barrier_t all;
static pthread_t thread[N];

__attribute__((noinline, noipa)) static long step(long x) { return x % 3 ? x / 3 : x * 5 + 1; }

static void *run(void *arg)
{
	long x = step((long)arg);

	pthread_barrier_wait(&all);
	return (void *)step(x);
}

int main(void)
{
	pthread_attr_t small;
	int n = 0;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384);
	pthread_barrier_init(&all, NULL, N);
	while (n < N && !pthread_create(&thread[n], &small, run, (void *)(long)n))
		n++;
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	printf("%d\n", n);
	return 0;
}
