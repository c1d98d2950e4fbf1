/* Traps behind returns and jumps, against speculation (-mharden-sls), say nothing of what these do. */
//# targets: x86_64; its traps are these
//# each: -mharden-sls=all
//# stdout: 46 128
#include <stdio.h>

__attribute__((noipa)) static double sum(const double *a, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += a[i] > 3 ? a[i] * 2 : a[i] < -1 ? -a[i] : 0.5;
	return s;
}

__attribute__((noipa)) static int pick(int x)
{
	switch (x) {
	case 0: return 4;
	case 1: return 9;
	case 3: return sum((double[]){1, 2}, 2) + 1;
	case 4: return 8;
	case 5: return x * 7;
	case 7: return 1;
	default: return x - 1;
	}
}

int main(void)
{
	double a[10];
	int k = 0;
	for (int i = 0; i < 10; i++) {
		a[i] = i - 2.5;
		k += pick(i) + pick(i / 2);
	}
	printf("%g %d\n", sum(a, 10), k);
	return 0;
}
