/* Variable arguments, integer and floating (%al is live at the entry), and large structures. */
//# each: -O0 | -O2
//# stdout: 15 7.5 6 3
#include <stdarg.h>
#include <stdio.h>

struct big {
	long v[12];
};

__attribute__((noinline)) static int sum(int n, ...)
{
	va_list ap;
	int s = 0;

	va_start(ap, n);
	while (n--)
		s += va_arg(ap, int);
	va_end(ap);
	return s;
}

__attribute__((noinline)) static double fsum(int n, ...)
{
	va_list ap;
	double s = 0;

	va_start(ap, n);
	while (n--)
		s += va_arg(ap, double);
	va_end(ap);
	return s;
}

__attribute__((noinline)) static struct big make(struct big b, int k)
{
	b.v[k] += 3;
	return b;
}

int main(void)
{
	struct big b = { { 0, 1, 2, 3 } };

	printf("%d %.1f %ld %ld\n", sum(5, 1, 2, 3, 4, 5), fsum(3, 1.5, 2.5, 3.5), make(b, 3).v[3], b.v[3]);
	return 0;
}
