/* A handler forks and returns in both processes: the interrupted code continues twice. */
//# each: -O2 | -O2 -DNUMBER
//# stdout: 1 64
//# report: inner 1
//# oracle: no, its signal comes at another time
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };
static char *page;
static volatile pid_t child = -1;

static void handler(int s)
{
	(void)s;
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
#ifdef NUMBER
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#else
	child = fork();
#endif
}

__attribute__((noinline, noipa)) static long inner(char *p, long n)
{
	long k = 0;
	for (long i = 0; i != n; i++)
		k += ++p[i];
	return k;
}

int main(void)
{
	char *two = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page = two + PAGE;
	mprotect(page, PAGE, PROT_NONE);
	signal(SIGSEGV, handler);
	long k = inner(page - 32, 64);
	if (!child)
		_exit(0);
	wait(NULL);
	printf("%d %ld\n", child > 0, k);
	return 0;
}
