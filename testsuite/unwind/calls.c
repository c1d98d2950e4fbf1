/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - frames of C: calls from a library, a signal handler, structures */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pt { int x, y; };
static int total;

static int leaf(int a, int b)
{
	int c = a * b;
	c += total;
	return c;
}

static int work(struct pt *p, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		int t = leaf(p->x + i, p->y);
		if (t & 1)
			sum += t;
		else
			sum -= t / 2;
	}
	return sum;
}

static void handler(int sig)
{
	total += sig;
}

static int cmp(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return x < y ? -1 : x > y;
}

int main(void)
{
	struct pt p = {3, 4};
	int v[] = {5, 2, 9, 1};
	char name[20];
	signal(SIGUSR1, handler);
	int r = work(&p, 100);
	raise(SIGUSR1);
	qsort(v, 4, sizeof *v, cmp);
	snprintf(name, sizeof name, "n%d", r);
	puts(name);
	return v[0] == 1 ? 0 : 1;
}
