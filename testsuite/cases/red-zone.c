/* Leaf functions that keep their data below the stack pointer. */
/* hazard: red zone. */
//# each: -O0 | -O1 | -O2
//# stdout: 3420000
//# report: leaf 300
#include <stdio.h>

__attribute__((noinline, noipa)) static int leaf(int n)
{
	volatile int a[16];
	int s = 0;

	for (int i = 0; i < 16; i++)
		a[i] = n + i;
	for (int i = 0; i < 16; i++)
		s += a[i] > n + 7 ? 2 * a[i] : a[i];
	return s;
}

int main(void)
{
	int s = 0;

	for (int i = 0; i < 300; i++)
		s += 3 * leaf(i);
	printf("%d\n", s);
	return 0;
}
