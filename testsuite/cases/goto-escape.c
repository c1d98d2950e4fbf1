/* Label addresses that leave the function and come back as an argument. */
/* hazard: shared goto dispatch. */
//# each: -O0 | -O2 -fPIC | -O2 -fno-pie -no-pie
//# either: lab
//# stdout: 11 10
#include <stdio.h>

__attribute__((noinline)) void *lab(void *q, int *r)
{
	if (q)
		goto *q;
	return &&x;
x:
	(*r)++;
	return &&y;
y:
	(*r)--;
	return 0;
}

int main(void)
{
	int r = 10;
	void *q = lab(0, &r);

	q = lab(q, &r);
	printf("%d", r);
	lab(q, &r);
	printf(" %d\n", r);
	return 0;
}
