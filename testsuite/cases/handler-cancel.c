/* A handler waits, and so a thread that was cancelled before ends in it. */
//# libs: -pthread
//# stdout: 1
//# report: spin 1
//# stats: counters are .*one for each block$
//# oracle: no, threads
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int started, stop[2];

static void handler(int s)
{
	(void)s;
	usleep(1);
}

__attribute__((noinline, noipa)) static long spin(volatile int *s)
{
	long k = 0;
	while (!s[0])
		k++;
	while (!s[1])
		k += 2;
	return k;
}

static void *run(void *a)
{
	started = 1;
	return spin(stop) ? a : NULL;
}

int main(void)
{
	pthread_t t;
	void *r;
	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, run, NULL);
	while (!started)
		sched_yield();
	pthread_cancel(t);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, &r);
	printf("%d\n", r == PTHREAD_CANCELED);
	return 0;
}
