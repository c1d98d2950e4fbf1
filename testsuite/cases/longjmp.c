/* setjmp and longjmp, nested, out of deep recursion, and out of a signal handler. */
//# each: -O0 | -O2
//# stdout: 3 100 1000 42
//# report: deep 5151
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static jmp_buf env;
static sigjmp_buf senv;

__attribute__((noinline, noipa)) static int deep(int n)
{
	if (n == 0)
		longjmp(env, 3);
	int r = deep(n - 1);

	__asm__ volatile("" : "+r"(r));
	return r + 1;
}

static void handler(int s)
{
	(void)s;
	siglongjmp(senv, 42);
}

int main(void)
{
	volatile int n = 0, r, loops = 0, last = 0;

	for (volatile int i = 0; i <= 100; i++) {
		r = setjmp(env);
		if (r == 0)
			deep(i);
		else
			n++, last = r;
	}
	signal(SIGUSR1, handler);
	for (volatile int i = 0; i < 1000; i++) {
		r = sigsetjmp(senv, 1);
		if (r == 0)
			raise(SIGUSR1);
		loops++;
	}
	printf("%d %d %d %d\n", last, n - 1, loops, r);
	return 0;
}
