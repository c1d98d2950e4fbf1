/* Behind a trap of debuggers nothing is known of registers; a branch around it has an address of code in one. */
/* hazard: trap that continues. */
//# targets: x86_64
//# stdout: 14
//# opaque: trap
#include <stdio.h>

static void *volatile stored;

static int named(int n) { return n + 1; }
__attribute__((noinline)) long trap(long *q, long n)
{
	stored = (void *)named;
	if (n > 100)
		__asm__ volatile("int3");
	return q[0] + q[1] + n;
}

int main(void)
{
	volatile long v[2] = {3, 3}, eight = 8;

	printf("%ld\n", trap((long *)v, eight) + (named(0) != 1));
	return 0;
}
