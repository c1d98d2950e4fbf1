/* SPDX-License-Identifier: Apache-2.0 */
/* thread.c - frames of a thread, from its first instruction on, and of a system call that may fork */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int caught;

static void handler(int sig)
{
	caught += sig;
}

static int cmp(const void *a, const void *b)
{
	const int *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void *work(void *arg)
{
	int *v = arg;
	qsort(v, 4, sizeof *v, cmp);
	raise(SIGUSR1);
	/* a result of 0, as a child has it */
	v[3] += (int)syscall(SYS_sched_yield);
	return v + 1;
}

int main(void)
{
	int v[] = {5, 2, 9, 1};
	pthread_t t;
	void *result;
	signal(SIGUSR1, handler);
	if (pthread_create(&t, NULL, work, v) || pthread_join(t, &result))
		return 1;
	printf("%d %d\n", *(int *)result, caught);
	return 0;
}
