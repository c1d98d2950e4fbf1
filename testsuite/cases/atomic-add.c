/* hazard: exclusive pair.  Memory accessed between a load-exclusive and its store may make it fail. */
//# stdout: 1000 500
//# each: -O2
#include <stdio.h>

static int sum, odd;

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		int was = __atomic_fetch_add(&sum, 1, __ATOMIC_ACQ_REL);

		if (was & 1)
			__atomic_fetch_add(&odd, 1, __ATOMIC_RELAXED);
	}
	printf("%d %d\n", sum, odd);
	return 0;
}
