/* A call by a pointer as code within the function that calls a label, changes the return address and returns. */
/* hazard: return that jumps. */
//# targets: x86_64; only this CPU has such thunks
//# each: -O2
//# cc: gcc
//# cflags: -mindirect-branch=thunk-inline
//# stdout: 805
#include <stdio.h>

__attribute__((noinline)) static int sum(int a, int b, int c, int d) { return a * 8 + b * 4 + c * 2 + d; }
static int (*volatile pointer)(int, int, int, int) = sum;

int main(void)
{
	int s = 0;
	for (int i = 0; i < 10; i++)
		s += pointer(i, i + 1, i + 2, i + 5);
	printf("%d\n", s);
	return 0;
}
