/* A loop in which nothing but the stack pointer has a step. */
//# each: -O1 | -O2 | -Os
#include <stdio.h>

struct link { struct link *next; long n; };

__attribute__((noinline)) static long chain(unsigned x)
{
	struct link *last = NULL;
	long sum = 0;
	do {
		struct link *p = __builtin_alloca(sizeof *p);
		p->next = last;
		p->n = x;
		last = p;
		x = x * 5 + 3 & 255;
	} while (x != 1);
	for (; last; last = last->next)
		sum = sum * 3 + last->n;
	return sum;
}

int main(void)
{
	long sum = 0;
	for (unsigned i = 0; i < 200; i++)
		sum += chain(i);
	printf("%ld\n", sum);
	return 0;
}
