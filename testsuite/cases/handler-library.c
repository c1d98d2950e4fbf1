/* A library guards calls of the program by its own signal handler. */
//# lib: libguard.so -DLIB
//# libs: -l:libguard.so
//# stdout: 29
//# report: inner 3
//# report: outer 3
//# stats: one counter for each block: handlers of \S*libguard.so may not return$
//# oracle: step skip=inner
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

int guard(long (*f)(long *, long), long *p, long n);
#ifdef LIB
static sigjmp_buf back;

static void handler(int s)
{
	siglongjmp(back, s);
}

int guard(long (*f)(long *, long), long *p, long n)
{
	signal(SIGSEGV, handler);
	if (sigsetjmp(back, 1))
		return 10;
	return (int)f(p, n);
}
#else
__attribute__((noinline, noipa)) static long inner(long *s, long n)
{
	long k = 0;
	for (long i = 0; i != n && s[i] != 3; i++)
		k += s[i];
	return k;
}

__attribute__((noinline)) static long outer(long *s, long n) { return inner(s, n) + 1; }

int main(void)
{
	static long list[] = {3, 8, 3};
	printf("%d\n", guard(outer, list + 1, 1) + guard(outer, (long *)8, 10) +
		guard(outer, (long *)16, -1));
	return 0;
}
#endif
