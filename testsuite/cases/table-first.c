/* A constant table of labels, of which the first word leads to data: no index is 0. */
/* hazard: constant table of functions. */
//# stdout: 1 20 300
#include <stdio.h>

__attribute__((noinline)) static int choose(unsigned long n)
{
	static const void *const to[] = {to, &&one, &&two, &&three};
	if (n - 1 > 2)
		return 0;
	goto *to[n];
one:
	return 1;
two:
	return 20;
three:
	return 300;
}

int main(void)
{
	printf("%d %d %d\n", choose(1), choose(2), choose(3));
	return 0;
}
