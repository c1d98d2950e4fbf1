// Arrays of variable length are freed by copies of the stack pointer: in a register, also set in a delay slot, and in
// the frame.  Such functions still return to their callers, so registers are dead at their ends.
// hazard: stack pointer restored.
//# each: -O2 | -O1 | -Os -fno-omit-frame-pointer
//# stdout: 1274 570 4694
//# report: two 30
//# report: goes 20
#include <alloca.h>
#include <stdio.h>

static int volatile bias;
__attribute__((noinline, noipa)) static void fill(int *v, int n)
{
	for (int i = 0; i < n; i++)
		v[i] = i + bias;
}
__attribute__((noinline, noipa)) static int two(int n)
{
	int sum = 0, m = n & 3;
	if (n > 2) {
		int v[n];
		fill(v, n);
		sum += v[n - 1];
	}
	for (int i = 0; i < m; i++) {
		int v[i + 1];
		fill(v, i + 1);
		sum += v[i];
	}
	int *last = alloca((unsigned)n * sizeof *last + 4);
	fill(last, n);
	return sum + (n ? last[n - 1] : 0) + n;
}
__attribute__((noinline, noipa)) static int goes(int n)
{
	int sum = 0;
again:;
	int v[n + 1];
	fill(v, n + 1);
	sum += v[n];
	if (sum < 3 * n)
		goto again;
	return sum;
}
static int (*volatile call)(int) = two;

int main(void)
{
	int a = 0, b = 0;
	for (int i = 0; i < 30; i++)
		a += call(i);
	call = goes;
	for (int i = 0; i < 20; i++)
		b += call(i);
	printf("%d %d %d\n", a, b, a + b * 6);
	return 0;
}
