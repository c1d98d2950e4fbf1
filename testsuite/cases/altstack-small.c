/* A handler is the first code of the program that its thread runs: the check there takes little of a small stack. */
//# targets: x86_64; elsewhere all threads share the counters
//# lib: libwait.so -DLIB
//# libs: -l:libwait.so -pthread
//# stdout: yes
//# report: handler 2
//# oracle: no, threads
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

long handled_within(int sig);
#ifdef LIB
static unsigned char stack[65536] __attribute__((aligned(16)));
static size_t used[2];

/* The bytes of the stack that a signal changes. */
static size_t handle(int sig)
{
	sigset_t set;
	size_t left = 0;

	memset(stack, 0x5a, sizeof stack);
	pthread_kill(pthread_self(), sig);
	sigfillset(&set);
	sigdelset(&set, sig);
	sigsuspend(&set);
	while (left < sizeof stack && stack[left] == 0x5a)
		left++;
	return sizeof stack - left;
}

static void *run(void *sig)
{
	stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};

	sigaltstack(&s, NULL);
	used[0] = handle((int)(long)sig);
	used[1] = handle((int)(long)sig);
	return NULL;
}

/* How much more does the first signal of a thread change than the second? */
long handled_within(int sig)
{
	pthread_t t;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, run, (void *)(long)sig);
	pthread_join(t, NULL);
	return (long)(used[0] - used[1]);
}
#else
static volatile sig_atomic_t n;

static void handler(int s) { n += s; }

int main(void)
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	long more;

	sigaction(SIGUSR1, &a, NULL);
	more = handled_within(SIGUSR1);
	if (more > 256)
		printf("%ld bytes\n", more);
	else
		puts(n == 2 * SIGUSR1 ? "yes" : "no");
	return 0;
}
#endif
