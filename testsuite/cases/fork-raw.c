/* Forks that the libc does not report. */
//# targets: x86_64; its system calls are assembly
//# each: -O0 | -O2 | -O2 -static
//# stdout: 3
//# report: work 3000
//# oracle: children
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int n;
__attribute__((noinline, noipa)) static void work(void) { n++; }

static void child(long pid)
{
	for (int i = 0; !pid && i < 1000; i++)
		work();
	if (!pid)
		_exit(0);
}

int main(void)
{
	child(syscall(SYS_fork));
	child(_Fork());
	child(fork());
	for (int i = 0; i < 3; i++)
		wait(NULL);
	puts("3");
	return 0;
}
