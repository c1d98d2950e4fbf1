/* A handler is installed, or leaves, by a function that the program finds by its name. */
//# libs: -ldl
//# each: -O2 -DINSTALLS | -O2 -DLEAVES
//# stdout: after
//# report: inner 3
//# stats: counters are .*one for each block$
//# oracle: step skip=inner
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;
static long list[100];
static long total;

#ifdef INSTALLS
static void handler(int s) { siglongjmp(back, s); }
static void install(void)
{
	void (*(*find)(int, void (*)(int)))(int) = dlsym(RTLD_NEXT, "signal");
	find(SIGSEGV, handler);
}
#else
static void (*leave)(sigjmp_buf, int);
static void handler(int s) { leave(back, s); }
static void install(void)
{
	leave = dlsym(RTLD_NEXT, "siglongjmp");
	signal(SIGSEGV, handler);
}
#endif

__attribute__((noinline, noipa)) static long inner(volatile long *s, long n)
{
	long k = 0;
	for (long i = 0; i != n; i++)
		k += s[i];
	return k;
}

int main(void)
{
	install();
	if (sigsetjmp(back, 1)) {
		puts("after");
		return 0;
	}
	total = inner(list, 10) + inner(list, 20);
	total += inner((long *)8, 30);
	return 1;
}
