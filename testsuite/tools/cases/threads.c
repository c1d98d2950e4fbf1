/* Threads, processes and a handler of signals count in the same variable, and nothing is lost. */
//# flags: -pthread
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		ldx_arg n = ldx_call_arg(0);
		if (!strcmp(ldx_func_name(f), "work") && !ldx_call(ldx_at_entry(f), "enter", 1, &n))
			ldx_fail("%s", ldx_refused());
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "threads", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t calls[1], sums[1];

LDX_ROUTINE void enter(unsigned long n)
{
	ldx_add(calls, [0], 1);
	ldx_add(sums, [0], (uint64_t)n << 30);
}
#else
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 20000, SIGNALS = 50 };

__attribute__((noipa)) void work(unsigned n)
{
	(void)n;
}

static void handler(int sig)
{
	(void)sig;
	work(1);
}

static void *run(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		work(3);
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	signal(SIGUSR1, handler);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < SIGNALS; i++)
		raise(SIGUSR1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	pid_t child = fork();
	if (!child) {
		run(NULL);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	unsigned long long calls = (THREADS + 1) * ROUNDS;
	printf("calls 0 %llu\nsums 0 %llu\n", calls + SIGNALS, (calls * 3 + SIGNALS) << 30);
	return 0;
}
#endif
