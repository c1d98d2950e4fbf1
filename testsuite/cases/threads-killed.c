/* SIGKILL while all threads are alive: what each has counted stays.  RISC-V's jumps do not reach over a poisoned C library. */
//# each: -DN=2 -O0 | -DN=8 | -DN=32 -O3
//# each.x86_64: -DN=8 -static
//# each.aarch64: -DN=8 -static
//# each.mips: -DN=8 -static
//# libs: -pthread
//# status: 137
//# report: step 48000
//# oracle: no, threads
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_barrier_t done;

__attribute__((noinline, noipa)) static long step(long x) { return x % 3 ? x / 3 : x * 5 + 1; }

static void *run(void *arg)
{
	long x = (long)arg;

	for (int i = 0; i < 48000 / N; i++)
		x = step(x ^ i);
	pthread_barrier_wait(&done);
	return pause() ? NULL : (void *)x;
}

int main(void)
{
	pthread_t t[N];

	pthread_barrier_init(&done, NULL, N + 1);
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	pthread_barrier_wait(&done);
	kill(getpid(), SIGKILL);
}
