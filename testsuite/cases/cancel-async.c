/* A thread that is cancelled asynchronously leaves a loop after any instruction. */
//# libs: -pthread
//# stdout: 1
//# report: spin 1
//# report: inner 3
//# oracle: no, threads
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static volatile int started, stop;
static long total;

__attribute__((noinline, noipa)) static long inner(volatile int *s, long n)
{
	long k = 0;
	for (long i = 0; i != n && !*s; i++)
		k += i;
	return k;
}

__attribute__((noinline, noipa)) static void *spin(void *a)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	started = 1;
	total += inner(&stop, -1);
	return a;
}

int main(void)
{
	pthread_t t;
	void *r;
	total = inner(&stop, 10) + inner(&stop, 20);
	pthread_create(&t, NULL, spin, NULL);
	while (!started)
		sched_yield();
	pthread_cancel(t);
	pthread_join(t, &r);
	printf("%d\n", r == PTHREAD_CANCELED);
	return 0;
}
