/* In a static program, what a short thread counts is in few pages: the C library's functions that it runs too. */
//# targets: x86_64; elsewhere all threads share the counters
//# cflags: -static
//# ldflags: -static
//# libs: -pthread
//# stdout: few
//# report: run 400
//# oracle: no, threads
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

enum { N = 400, MOST = 6 };
static pthread_barrier_t all;
static pthread_t thread[N];

static void *run(void *arg)
{
	pthread_barrier_wait(&all);
	return arg;
}

int main(void)
{
	struct rusage before, after;
	int n = 0;

	pthread_barrier_init(&all, NULL, N);
	getrusage(RUSAGE_SELF, &before);
	while (n < N && !pthread_create(&thread[n], NULL, run, NULL))
		n++;
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	getrusage(RUSAGE_SELF, &after);
	long faults = after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt;
	if (faults < N * MOST)
		puts("few");
	else
		printf("%ld\n", faults / N);
	return 0;
}
