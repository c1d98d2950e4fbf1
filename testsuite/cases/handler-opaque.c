/* A handler that is not understood jumps out of what it interrupted; or such a function installs it. */
//# cc: gcc
//# each: -O2 | -O2 -DINSTALLS
//# stdout: 201
//# opaque: unclear
//# report: inner 3
//# report: outer 3
//# stats: counters are .*one for each block$
//# oracle: step skip=inner
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;
static void leave(int s) { siglongjmp(back, s); }

/* It adds a number to the address of its code, and jumps there. */
__attribute__((noinline, noipa, section(".text.unclear"))) static void unclear(int s)
{
	static const int at[] = {&&one - &&one, &&two - &&one};
	goto *(&&one + at[s & 1]);
one:
	s++;
two:
#ifdef INSTALLS
	signal(SIGSEGV, leave);
	s++;
#else
	leave(s);
#endif
}

__attribute__((noinline, noipa)) static long inner(volatile long *s, long n)
{
	long k = 0;
	for (long i = 0; i != n; i++) {
		if (s[i] == 3)
			break;
		k += s[i];
	}
	return k;
}

__attribute__((noinline, noipa)) static long outer(volatile long *s, long n) { return inner(s, n) + 1; }

int main(void)
{
	static long list[10];
	volatile long sum = 0;
#ifdef INSTALLS
	unclear(SIGSEGV);
#else
	signal(SIGSEGV, unclear);
#endif
	for (volatile int i = 0; i < 3; i++) {
		if (!sigsetjmp(back, 1))
			sum += outer(i == 1 ? list : (long *)8, 10);
		else
			sum += 100;
	}
	printf("%ld\n", sum);
	return 0;
}
