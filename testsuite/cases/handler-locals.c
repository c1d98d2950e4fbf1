/* Handlers that use their frames as ordinary code does are proved to return. */
//# each: -O2 | -Os | -O2 -fno-omit-frame-pointer
//# stdout: 19
//# stdout: 118
//# stats.x86_64: counters are .*(?<!one for each block)$
//# stats.aarch64: counters are .*(?<!one for each block)$
//# stats.riscv64: counters are .*(?<!one for each block)$
//# oracle: step
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile long sum;

/* The code for errors is a function of its own, which jumps back. */
__attribute__((noinline, noipa)) static long number(char *at, long n, const long *digits)
{
	long size = 0;
	do {
		if (__builtin_expect(size > digits[0], 0))
			sum += sizeof digits;
		*--at = (char)('0' + n % 10);
		size++;
	} while (n /= 10);
	return size;
}

__attribute__((noinline, noipa)) static void print(long n)
{
	char text[24];
	long most[] = {8, n};
	text[sizeof text - 1] = '\n';
	long size = number(text + sizeof text - 1, n, most);
	write(1, text + sizeof text - 1 - size, (size_t)size + 1);
}

__attribute__((noinline, noipa)) static long add(int n, ...)
{
	va_list list;
	long all = 0;
	va_start(list, n);
	for (; n; n--)
		all += va_arg(list, int);
	va_end(list);
	return all;
}

__attribute__((noinline, noipa)) static void many(long a, long b, long c, long d, long e, long f, long g, long h, long i,
	long *j)
{
	long last[10] = {a, b, c, d, e, f, g, h, i, 10};
	for (long *p = last; p != last + 10; p++)
		*j += *p;
}

static void handler(int s, siginfo_t *i)
{
	long result = 0;
	sigset_t set;
	struct timespec now;
	char copy[64];
	sigemptyset(&set);
	sigaddset(&set, s);
	clock_gettime(CLOCK_MONOTONIC, &now);
	memset(copy, i->si_signo == s, sizeof copy);
	for (int k = 0; k < 8; k++)
		result += copy[now.tv_nsec % 8 + k];
	print(result + 11);
	many(1, 2, 3, 4, 5, 6, 7, 8, 9, &result);
	sum += add(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	sum += result;
}

int main(void)
{
	struct sigaction a = {.sa_flags = SA_SIGINFO, .sa_handler = (void (*)(int))handler};
	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
	print(sum);
	return 0;
}
