/* With registers of 64 bits, mthc1 and mfhc1 move their high halves, and odd ones hold doubles, too. */
//# targets: mips mipsel; other CPUs have no such moves
//# cc: gcc
//# cflags: -mips32r2 -mfp64
//# stdout: 4004000000000000 4 14.5
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) long long bits(double d)
{
	long long n;

	memcpy(&n, &d, sizeof n);
	return n;
}

__attribute__((noinline)) double next(long long n)
{
	double d;

	memcpy(&d, &n, sizeof d);
	return d + 1;
}

__attribute__((noinline)) double odd(double a, double b)
{
	double sum;

	__asm__("mov.d $f3, %1\n\tadd.d $f5, $f3, %2\n\tadd.d %0, $f5, $f3" : "=f"(sum) : "f"(a), "f"(b) : "$f3", "$f5");
	return a > b ? sum : sum + 0.5;
}

int main(void)
{
	printf("%llx %g %g\n", bits(2.5), next(bits(3.0)), odd(4, 6));
	return 0;
}
