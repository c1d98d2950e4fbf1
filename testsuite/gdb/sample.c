/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - what one looks at in a debugger: arguments, locals, steps, frames of others */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
	int key;
	const char *name;
};

static volatile sig_atomic_t caught;

__attribute__((noinline)) static int scale(int value, int factor)
{
	int product = value * factor;	/* LINE product */
	if (product > 100)
		product -= 100;
	return product;
}

__attribute__((noinline)) static int sum(const int *v, int n)
{
	int total = 0;
	for (int i = 0; i < n; i++)
		total += scale(v[i], i + 1);	/* LINE loop */
	return total;
}

static int by_key(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return x->key - y->key;		/* LINE compare */
}

static void on_signal(int number)
{
	caught = number;		/* LINE handler */
}

__attribute__((noinline)) static int depth(int n)
{
	if (n == 0)
		return (int)raise(SIGUSR1);
	int below = depth(n - 1);
	return below + n;		/* LINE below */
}

int main(int argc, char **argv)
{
	int v[] = { 3, 40, 50 };
	struct pair p[] = { { 3, "c" }, { 1, "a" }, { 2, "b" } };
	signal(SIGUSR1, on_signal);
	int total = sum(v, 3);
	qsort(p, 3, sizeof *p, by_key);
	int levels = depth(argc + 2);
	printf("%d %s%s%s %d %d\n", total, p[0].name, p[1].name, p[2].name, levels, (int)caught);
	return argv[argc] != NULL;
}
