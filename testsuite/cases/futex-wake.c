/* A call of syscall(2) with the number of futex(2), as C++'s guards of static variables make, installs no handler. */
//# each: -O2 | -O2 -fno-pie -no-pie | -Os
//# stdout: 0
//# report: wake 3
//# stats: counters are .*(?<!one for each block)$
//# oracle: qemu
#include <linux/futex.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static jmp_buf back;
static int word;

__attribute__((noinline, noipa)) static long wake(long n)
{
	return syscall(SYS_futex, &word, FUTEX_WAKE, n, NULL, NULL, 0);
}

int main(int argc, char **argv)
{
	long sum = 0;
	for (int i = 0; i < 3; i++)
		sum += wake(i);
	if (argc > 100)
		longjmp(back, argv != NULL);
	printf("%ld\n", sum);
	return 0;
}
