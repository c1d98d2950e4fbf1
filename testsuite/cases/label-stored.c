/* Memory may hold an address of code, so what is loaded may be one: where a cold part leads back, and not at the start of
 * a function, to which no jump of its own leads with what it has in registers. */
/* hazard: distance added to a label. */
//# stdout: 4 3
#include <stdio.h>

typedef void event_fn(long *, const int *);
static void *volatile stored;
static event_fn *volatile later;
static long rounds;

static void freed(long *a, const int *e) { *a += e == (const int *)(void *)freed; }

__attribute__((noinline, cold)) static void rare(long n) { rounds += n; }
__attribute__((noinline)) static long cold_part(long **p, long n)
{
	stored = (void *)freed;
	long *q = *p, sum = 1;
	if (__builtin_expect(n > 5, 0))
		rare(n);
	else
		q = p[n], sum = *q * 3;
	return sum + q[1];
}
__attribute__((noinline)) static void event(long *a, const int *e)
{
	stored = (void *)freed;
	switch (*e) {
	case 1: *a += 1; break;
	case 2: *a += 3; break;
	case 3: later(a, (const int *)(void *)freed); break;
	case 4: *a += 4; break;
	case 5: *a += 9; break;
	}
}

int main(int argc, char **argv)
{
	long v[2] = {3, 3}, *p = v, n = 0;
	volatile long nine = 9;
	long **volatile from = &p;
	event_fn *volatile f = event;
	(void)argv;

	later = freed;
	for (int i = 1; i < 4; i += 1 + (i == 1))
		f(&n, &i);
	n += argc;
	printf("%ld %ld\n", cold_part(from, nine), n);
	return 0;
}
