// Pairs of load-exclusive and store-exclusive, where the CPU has them: nothing comes between, all blocks are counted.
//# each: -O2 | -O0
//# libs.riscv64: -latomic
//# stdout: 1 0 3 7 5 9
#include <stdio.h>

static int word = 3;
static short half = 3;
static long both = 9;

__attribute__((noinline)) static int swap_if(int *p, int old, int new)
{
	return __atomic_compare_exchange_n(p, &old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
__attribute__((noinline)) static short or_half(short *p, short bits)
{
	return __atomic_fetch_or(p, bits, __ATOMIC_RELAXED);
}

int main(void)
{
	int done = swap_if(&word, 3, 5), not = swap_if(&word, 3, 6);
	short was = or_half(&half, 4);
	printf("%d %d %d %d %d %ld\n", done, not, was, half, word, __atomic_exchange_n(&both, 1, __ATOMIC_SEQ_CST));
	return 0;
}
