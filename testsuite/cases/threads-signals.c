/* A handler of signals counts in the functions that it interrupts, in threads: no increment of either is lost. */
//# each: -O1 -fno-inline | -O2 -fno-inline -fno-pie -no-pie
//# libs: -pthread
//# stdout: 4 4000
//# report: step 404000
//# report: on_signal 4000
//# stats.aarch64: counters are by thread, atomic where handlers of signals count, else plain$
//# stats.riscv64: counters are by thread, atomic where handlers of signals count, else plain$
//# oracle: no, threads
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum { N = 4, STEPS = 100000, SIGNALS = 1000 };
static __thread int handled;
static int threads, signals;

__attribute__((noinline, noipa)) static long step(long x) { return x % 3 ? x / 3 : x * 5 + 1; }

static void on_signal(int s)
{
	handled += step(s) > 0;
}

static void *run(void *arg)
{
	long x = (long)arg;

	for (int i = 0; i < STEPS; i++) {
		x = step(x ^ i);
		if (i % (STEPS / SIGNALS) == 0)
			pthread_kill(pthread_self(), SIGUSR1);
	}
	__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&signals, handled, __ATOMIC_RELAXED);
	return (void *)x;
}

int main(void)
{
	pthread_t t[N];

	signal(SIGUSR1, on_signal);
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	printf("%d %d\n", threads, signals);
	return 0;
}
