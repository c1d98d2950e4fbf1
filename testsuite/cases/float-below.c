/* Short words below the stack pointer end in front of the return address: callers may move. */
//# cflags: -O2
#include <stdio.h>
__attribute__((noinline, noipa)) static float twice(float a, float b)
{
	volatile float x = a * b;
	return x + b;
}
int main(void)
{
	float sum = 0;
	for (int i = 0; i < 10; i++)
		if (i & 3)
			sum += twice((float)i, 2);
	printf("%g\n", sum);
	return 0;
}
