// A MIPS function whose first instruction makes half of an address: it is counted behind that, in other registers.
//# each: -O2 -fno-pie -no-pie
//# stdout: 30
//# report: get 10
#include <stdio.h>

static volatile int v = 1;
__attribute__((noinline, noipa)) static int get(void) { return v + 2; }

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += get();
	return printf("%d\n", sum) < 0;
}
