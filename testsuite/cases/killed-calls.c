/* Killed in a call of a call: what the frames did before is told, and once too much at most what not. */
//# each: -O0 | -O1 | -O2 | -O2 -fno-pie -no-pie
//# status: 137
//# oracle: step stays=4 noinsns
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define N __attribute__((noinline, noipa))

N static void end(long n)
{
	if (n > 2)
		kill(getpid(), SIGKILL);
	if (n & 1)
		asm volatile("" : : "r"(n));
}

N static long work(long n)
{
	long s = n;
	for (long i = 0; i < n; i++) {
		end(i);
		s += i & 1 ? i : strtol("7", NULL, 10);
	}
	return s;
}

N static long outer(long a, long b)
{
	if (!a)
		return b;
	long s = a > 5 ? work(a) * 2 : work(b);
	return s > 7 ? s + 1 : s;
}

int main(void)
{
	if (outer(0, 7) != 7)
		return 1;
	if (outer(1, 2) > 0)
		return (int)outer(10, 3);
	return 2;
}
