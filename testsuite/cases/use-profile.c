/* Counters are placed by an earlier profile: compilers were told wrong which ways are frequent. */
//# cc: clang-19
//# profile: --instrument=edges
//# stdout: 975696
#include <stdio.h>

__attribute__((noinline, noipa)) static long walk(long n, long a)
{
	for (long i = 0; i < n; i++) {
		if (__builtin_expect_with_probability(i % 1000 != 999, 0, 0.8)) {
			__asm__ volatile("# way 0" : "+r"(a));
			a += 3;
		} else {
			__asm__ volatile("# way 1" : "+r"(a));
			a ^= i;
		}
		if (__builtin_expect_with_probability(i % 999 != 998, 0, 0.8)) {
			__asm__ volatile("# way 2" : "+r"(a));
			a += 5;
		} else {
			__asm__ volatile("# way 3" : "+r"(a));
			a ^= 2 * i;
		}
	}
	return a;
}

int main(void)
{
	long a = 0;

	for (int i = 0; i < 50; i++)
		a = walk(i * 99, a);
	printf("%ld\n", a);
	return 0;
}
