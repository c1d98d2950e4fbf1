/* SPDX-License-Identifier: Apache-2.0 */
/* Inlined functions, lexical blocks, call sites: what debug information has lists for. */
#include <stdio.h>
static int sq(int x)
{
	int y = x;
	return y * x;
}
__attribute__((noinline)) static int acc(int *p, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		int t = sq(p[i]);
		if (t > 100) {
			int u = t / 3;
			s += u;
			printf("%d\n", u);
		} else
			s += t;
	}
	return s;
}
int f(int a, int b)
{
	int v[4] = {a, b, a + b, a - b};
	int r = acc(v, 4);
	if (r < 0)
		__builtin_abort();
	return acc(v, r & 3) + sq(r);
}
int main(int argc, char **argv)
{
	return f(argc, 3);
}
