/* 2, 8 and 32 threads in the same blocks at once; then one that forks, and one that ends the process. */
//# each: -DN=2 -O0 | -DN=8 | -DN=32 -O3 | -DN=8 -static
//# libs: -pthread
/* QEMU 7.2 may hang or die if a process forks while it starts threads. */
//# cflags.emulated: -DFORK_FIRST
//# status: 7
//# report: step 96000
//# report: run 160
//# report: last 1
//# oracle: no, threads
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t all;

__attribute__((noinline, noipa)) static long step(long x) { return x % 3 ? x / 3 : x * 5 + 1; }

static void *run(void *arg)
{
	long x = (long)arg;

	pthread_barrier_wait(&all);
	for (int i = 0; i < 600; i++)
		x = step(x ^ i);
	return (void *)x;
}

__attribute__((noinline, noipa)) static void *last(void *arg)
{
	(void)arg;
	_exit(7);
}

static void rounds(int n)
{
	pthread_t t[N];

	for (int k = 0; k < n; k++) {
		for (long i = 0; i < N; i++)
			pthread_create(&t[i], NULL, run, (void *)i);
		for (int i = 0; i < N; i++)
			pthread_join(t[i], NULL);
	}
}

/* A forked child starts threads of its own while its parent's are running. */
static void *forks(void *arg)
{
	pid_t p = fork();

	if (!p) {
		pthread_barrier_init(&all, NULL, N);
		rounds(64 / N);
		_exit(0);
	}
	waitpid(p, NULL, 0);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_barrier_init(&all, NULL, N);
#ifdef FORK_FIRST
	forks(NULL);
	rounds(96 / N);
#else
	pthread_create(&t, NULL, forks, NULL);
	rounds(96 / N);
	pthread_join(t, NULL);
#endif
	pthread_create(&t, NULL, last, NULL);
	for (;;)
		pause();
}
