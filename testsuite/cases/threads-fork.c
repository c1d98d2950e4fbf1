/* Threads fork: each child counts in a row of its own, and so do the threads that it makes. */
//# targets: x86_64; the emulator does not fork where there are threads
//# each: -O1 -fno-inline | -O2 -fno-inline
//# libs: -pthread
//# stdout: 12
//# report: step 5600
//# report: count 28
//# lost: 0 0
//# oracle: no, threads
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noipa)) static long step(long x)
{
	__asm__ volatile("" : "+r"(x)); /* calls whose results are not used stay */
	return x % 3 ? x / 3 : x * 5 + 1;
}

__attribute__((noinline, noipa)) static void *count(void *arg)
{
	long x = (long)arg;

	for (int i = 0; i < 200; i++)
		x = step(x ^ i);
	return (void *)x;
}

static void child(void)
{
	pthread_t t[3];

	count(NULL);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, count, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	count(NULL);
	_exit(3);
}

static void *run(void *arg)
{
	int st;

	count(arg);
	pid_t p = fork();
	if (!p)
		child();
	waitpid(p, &st, 0);
	count(arg);
	return (void *)(long)WEXITSTATUS(st);
}

int main(void)
{
	pthread_t t[4];
	void *r;
	long s = 0;

	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &r);
		s += (long)r;
	}
	printf("%ld\n", s);
	return 0;
}
