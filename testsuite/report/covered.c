/* SPDX-License-Identifier: Apache-2.0 */
/* covered.c - lines, branches and functions of every kind: see coverage.py and gcov.py */
#include "covered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int never_called(int x)
{
	return x * 2;
}

static int classify(int x)
{
	if (x < 0 || x > 1000)
		return -1;
	switch (x % 8) {
	case 0: return 10;
	case 1: return 11;
	case 2: x++; /* falls through */
	case 3: x += 3; break;
	case 4: return 14;
	case 5: return 15;
	case 6: return x > 100 ? 16 : 17;
	default: x--;
	}
	return x;
}

static size_t length(const char *s)
{
	const char *p = s;
	while (*p++);
	return (size_t)(p - s) - 1;
}

static unsigned long sum(const int *v, int n)
{
	unsigned long s = 0;
	for (int i = 0; i < n; i++) s += (unsigned long)v[i];
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++) s ^= (unsigned long)(v[k] & i);
	do s /= 3; while (s > 1000);
	return s;
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return x < y ? -1 : x > y;
}

static void fail(int status)
{
	fprintf(stderr, "it fails\n");
	if (status > 1)
		status = 1;
	exit(status);
}

int main(int argc, char **argv)
{
	int v[40], n = sizeof v / sizeof *v;
	long all = 0;
	for (int i = 0; i < n; i++) {
		v[i] = (i * 37) % n;
		all += classify(i * 13);
	}
	qsort(v, (size_t)n, sizeof *v, compare);
	for (int i = 1; i < n; i++)
		if (v[i - 1] > v[i])
			fail(i);
	if (argc > 3)
		all = never_called(argc);
	all += (long)(length("some text") + length(argv[0] ? "more" : "")) + limited(argc, 0, 3);
	printf("%ld %lu %d\n", all, sum(v, n), other(7));
	return strcmp("a", "b") > 0;
}
