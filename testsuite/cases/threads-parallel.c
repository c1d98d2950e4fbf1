/* Eight threads in the same block at once, again in recycled slots, and after a fork. */
//# each: -O0 | -O2 | -O2 -static
//# libs: -pthread
//# stdout: 900000
//# report: step 900000
//# oracle: no, threads
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noipa)) static int step(int x) { return x & 1 ? x + 1 : x - 1; }

static void *run(void *arg)
{
	long *sum = arg;

	for (int i = 0; i < 50000; i++)
		*sum += step(i) != i;
	return NULL;
}

static long round_of(int n)
{
	pthread_t t[8];
	long sum[8] = { 0 }, all = 0;

	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, run, &sum[i]);
	for (int i = 0; i < n; i++, all += sum[i - 1])
		pthread_join(t[i], NULL);
	return all;
}

int main(void)
{
	long all = round_of(8) + round_of(8);

	if (!fork()) {
		round_of(2);
		_exit(0);
	}
	wait(NULL);
	printf("%ld\n", all + 100000);
	return 0;
}
