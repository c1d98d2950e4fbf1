// Counters at every exit of a function, behind every call and on the edges of jump tables: returns, tail calls,
// a frame that longjmp(3) leaves, a table whose targets are also fallen into, branched to, and one of them twice
// in it.
//# places: exits after
//# places.x86_64: tables
//# cflags: -fno-inline
//# stdout: 26197 -74 left 3 back 4 1836311903
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf out;

static int step(int n, int *acc)
{
	switch (n) {
	case 0: *acc += 3; /* fallthrough */
	case 1: *acc *= 2; break;
	case 2:
	case 9: *acc -= 7; return 1;
	case 3: *acc ^= 9; break;
	case 4:
		while (*acc > 10)
			*acc /= 3;
		/* fallthrough */
	case 5: *acc += 11; break;
	case 6: *acc = -*acc; break;
	default: return abs(*acc);
	}
	return *acc & 3;
}

static int deep(int n)
{
	if (n > 2)
		longjmp(out, n);
	return n ? deep(n - 1) + 1 : 4;
}

static unsigned fib(int n, unsigned a, unsigned b)
{
	return n ? fib(n - 1, b, a + b) : a;
}

static unsigned by_tail(int n) { return fib(n, 0, 1); }

int main(int argc, char **argv)
{
	int acc = argc, sum = 0, n;
	for (int i = 0; i < 1000; i++)
		sum += step(i * 7 % 9, &acc);
	printf("%d %d ", sum, acc);
	n = setjmp(out);
	if (n)
		printf("left %d ", n);
	else
		deep(3);
	printf("back %d ", deep(0));
	printf("%u\n", by_tail(46));
	return 0;
}
