/*
 * hazard: HI16 without LO16.  Increments share a register with the high part of their addresses: in
 * a loop it is set in front of it; calls, a table and the program's own code change it.
 */
//# each: -O2 -fno-pie -no-pie | -O1 -fno-pie -no-pie | -O2 | -O2 -fPIC
//# stdout: 1519 75 256
//# report: arms 2
//# report: twice 6
//# report: pick 24
//# stats.aarch64: counters that share a register .*: [1-9]
#include <stdio.h>

#define N __attribute__((noinline, noipa))

N static int twice(int n) { return 2 * n; }

N static long arms(const unsigned char *p, int n, long *odd)
{
	long sum = 0;
	for (int i = 0; i < n; i++) {
		if (p[i] & 1)
			++*odd;
		else if (p[i] & 2)
			sum += 3 * p[i];
		if (p[i] > 40)
			sum -= p[i];
		if (p[i] == 7)
			sum += twice(i);
	}
	return sum;
}

N static int pick(int n, int x)
{
	switch (n) {
	case 0: return x > 2 ? x + 1 : x;
	case 1: return x * 3;
	case 2: return x & 1 ? 7 : 9;
	case 3: return twice(x);
	case 4: return x / 3;
	case 5: return x > 4 ? x : twice(x + 1);
	}
	return 1;
}

int main(void)
{
	unsigned char p[100];
	long odd = 0, sum = 0;
	int picked = 0;
	for (int i = 0; i < 100; i++)
		p[i] = i % 50;
	sum = arms(p, 100, &odd) + arms(p, 50, &odd);
	for (int i = 0; i < 24; i++)
		picked += pick(i % 8, i);
	printf("%ld %ld %d\n", sum, odd, picked);
	return 0;
}
