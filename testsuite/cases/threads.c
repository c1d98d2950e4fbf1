/* Threads, one after the other so that plain counters are exact. */
//# libs: -pthread
//# stdout: 8000
//# report: work 8000
//# oracle: atomic
#include <pthread.h>
#include <stdio.h>

static int total;
static __thread int mine;

__attribute__((noinline, noipa)) static int work(int x) { return x & 1 ? ++mine : --mine; }

static void *run(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		work(i);
		total++;
	}
	return arg;
}

int main(void)
{
	for (int i = 0; i < 8; i++) {
		pthread_t t;

		pthread_create(&t, NULL, run, NULL);
		pthread_join(t, NULL);
	}
	printf("%d\n", total);
	return 0;
}
