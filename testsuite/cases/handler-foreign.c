/* A handler is a function of a library, which jumps out of it; or a function that is not understood. */
//# lib: libleave.so -DLIB
//# libs: -l:libleave.so
//# each: -O2 | -O2 -DASKED
//# stdout: 201
//# report: inner 3
//# report: outer 3
//# stats: counters are .*one for each block$
//# oracle: step skip=inner
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

extern sigjmp_buf back;
void leave(int s);
void (*handler(void))(int);
#ifdef LIB
sigjmp_buf back;
void leave(int s) { siglongjmp(back, s); }
void (*handler(void))(int) { return leave; }
#else
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
#ifdef ASKED
	signal(SIGSEGV, handler());
#else
	signal(SIGSEGV, leave);
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
#endif
