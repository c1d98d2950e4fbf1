/* A handler changes the context that it returns to, and so continues elsewhere. */
//# targets: x86_64; its handler reads this CPU's registers
//# stdout: after
//# report: inner 3
//# report: after 1
//# stats: counters are .*one for each block$
//# stats: one counter for each block: handler may use the third argument of a handler, the context$
//# oracle: no, its signal comes at another time
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static long list[100];
static long total;

__attribute__((noinline, noipa)) static void after(void)
{
	puts("after");
	exit(0);
}

static void handler(int s, siginfo_t *i, void *u)
{
	greg_t *r = ((ucontext_t *)u)->uc_mcontext.gregs;
	(void)s;
	(void)i;
	r[REG_RSP] = (r[REG_RSP] & -16) - 264;
	r[REG_RIP] = (greg_t)after;
}

__attribute__((noinline, noipa)) static long inner(volatile long *s, long n)
{
	long k = 0;
	for (long i = 0; i != n; i++)
		k += s[i];
	return k;
}

int main(void)
{
	struct sigaction a = {.sa_flags = SA_SIGINFO, .sa_sigaction = handler};
	sigaction(SIGSEGV, &a, NULL);
	total = inner(list, 10) + inner(list, 20);
	total += inner((long *)8, 30);
	return 1;
}
