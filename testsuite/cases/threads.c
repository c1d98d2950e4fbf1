/* Threads, one after the other so that plain counters are exact.  A thread has ended before it is joined: else the
   C library would wait for it in some runs, and not in others. */
//# libs: -pthread
//# stdout: 8000
//# report: work 8000
//# oracle: atomic skip=wait_for
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int total;
static __thread int mine;
static volatile int *volatile number; /* the thread's, in its descriptor: cleared when it has ended */

__attribute__((noinline, noipa)) static int work(int x) { return x & 1 ? ++mine : --mine; }

__attribute__((noinline, noipa)) static void wait_for(void)
{
	while (!number || *number)
		;
}

static void *run(void *arg)
{
	int *p = (int *)pthread_self();

	while (*p != gettid())
		p++;
	number = p;
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

		number = NULL;
		pthread_create(&t, NULL, run, NULL);
		wait_for();
		pthread_join(t, NULL);
	}
	printf("%d\n", total);
	return 0;
}
