/* A handler ends the thread it interrupts. */
//# libs: -pthread
//# stdout: 1
//# report: spin 1
//# report: inner 3
//# oracle: no, threads
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>

static volatile int started, stop;
static long total;

static void handler(int s)
{
	(void)s;
	pthread_exit(&total);
}

__attribute__((noinline, noipa)) static long inner(volatile int *s, long n)
{
	long k = 0;
	for (long i = 0; i != n && !*s; i++)
		k += i;
	return k;
}

__attribute__((noinline, noipa)) static void *spin(void *a)
{
	started = 1;
	total += inner(&stop, -1);
	return a;
}

int main(void)
{
	pthread_t t;
	void *r;
	signal(SIGUSR1, handler);
	total = inner(&stop, 10) + inner(&stop, 20);
	pthread_create(&t, NULL, spin, NULL);
	while (!started)
		sched_yield();
	pthread_kill(t, SIGUSR1);
	pthread_join(t, &r);
	printf("%d\n", r == &total);
	return 0;
}
