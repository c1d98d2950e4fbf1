/* A handler asks the unwinder where the interrupted frame is, and changes the context below it. */
//# targets: x86_64; its handler reads this CPU's registers
//# stdout: after
//# report: inner 3
//# report: after 1
//# stats: counters are .*one for each block$
//# oracle: no, its signal comes at another time
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

static long list[100];
static long total;

__attribute__((noinline, noipa)) static void after(void)
{
	puts("after");
	exit(0);
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *c, void *arg)
{
	int before;
	unsigned long ip = _Unwind_GetIPInfo(c, &before);
	(void)arg;
	if (!before)
		return _URC_NO_REASON;
	unsigned long *p = (unsigned long *)_Unwind_GetCFA(c);
	while (*p != ip)
		p--;
	*p = (unsigned long)after;
	p[-1] = (p[-1] & -16ul) - 264;
	return _URC_END_OF_STACK;
}

static void handler(int s)
{
	(void)s;
	_Unwind_Backtrace(visit, NULL);
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
	signal(SIGSEGV, handler);
	total = inner(list, 10) + inner(list, 20);
	total += inner((long *)8, 30);
	return 1;
}
