/*
 * hazard: code between named ends.  The program sums a section of code by the names of its ends.  It sees a call become
 * shorter in the last link; the link whose counts are the measure is made without relaxation.
 */
//# cflags.riscv64: -mno-relax
//# opaque: f g
#include <stdio.h>

extern const unsigned char __start_inner[], __stop_inner[];

__attribute__((section("inner"), noinline)) static long f(long x)
{
	long s = 0;

	for (long i = 0; i < x; i++)
		s += i & 1 ? i * x : 3;
	return s;
}

__attribute__((section("inner"), noinline)) static long g(long x) { return x & 4 ? f(x) + 1 : x * 7; }

/* How many bytes are not 0. */
__attribute__((noinline)) static size_t nonzero(const unsigned char *p, const unsigned char *end)
{
	size_t n = 0;

	for (; p < end; p++)
		n += *p != 0;
	return n;
}

int main(int argc, char **argv)
{
	(void)argv;
	size_t n = nonzero(__start_inner, __stop_inner);
	printf("%zu %zu %ld\n", n, (size_t)(__stop_inner - __start_inner), f(argc + 4) + g(argc));
	return 0;
}
