/* SPDX-License-Identifier: Apache-2.0 */
/*
 * small.c - the small programs of textbooks: towers, queens, permutations, sorts, trees, matrices
 *
 * What Hennessy's Stanford suite is made of: recursion, and short loops over arrays.
 */
#include <stdio.h>
#include <stdlib.h>
#include "kernel.h"

static uint32_t seed = 74755;
static unsigned moves;
static int values[6000];

static void towers(int n, int from, int to, int by)
{
	if (n == 0)
		return;
	towers(n - 1, from, by, to);
	moves += (unsigned)(from * 3 + to);
	towers(n - 1, by, to, from);
}

static int permute(int *v, int n)
{
	if (n == 1)
		return v[0] & 1;
	int sum = permute(v, n - 1);

	for (int k = n - 2; k >= 0; k--) {
		int t = v[n - 1];

		v[n - 1] = v[k], v[k] = t;
		sum += permute(v, n - 1);
		t = v[n - 1], v[n - 1] = v[k], v[k] = t;
	}
	return sum;
}

static int place_queen(int row, int n, char *column, char *up, char *down)
{
	int found = 0;

	if (row == n)
		return 1;
	for (int c = 0; c < n; c++) {
		if (column[c] || up[row + c] || down[row - c + n])
			continue;
		column[c] = up[row + c] = down[row - c + n] = 1;
		found += place_queen(row + 1, n, column, up, down);
		column[c] = up[row + c] = down[row - c + n] = 0;
	}
	return found;
}

static void shuffle(int n)
{
	for (int i = 0; i < n; i++)
		values[i] = (int)(next_number(&seed) % 100000);
}

static void quick(int *v, int lo, int hi)
{
	int i = lo, j = hi, pivot = v[(lo + hi) / 2];

	while (i <= j) {
		while (v[i] < pivot)
			i++;
		while (pivot < v[j])
			j--;
		if (i <= j) {
			int t = v[i];

			v[i++] = v[j], v[j--] = t;
		}
	}
	if (lo < j)
		quick(v, lo, j);
	if (i < hi)
		quick(v, i, hi);
}

static void bubble(int *v, int n)
{
	for (int top = n - 1; top > 0; top--)
		for (int i = 0; i < top; i++)
			if (v[i] > v[i + 1]) {
				int t = v[i];

				v[i] = v[i + 1], v[i + 1] = t;
			}
}

struct node {
	struct node *left, *right;
	int value;
};

static void plant(struct node **at, struct node *n)
{
	if (!*at)
		*at = n;
	else if (n->value > (*at)->value)
		plant(&(*at)->left, n);
	else
		plant(&(*at)->right, n);
}

static int height(const struct node *n)
{
	int l, r;

	if (!n)
		return 0;
	l = height(n->left), r = height(n->right);
	return 1 + (l > r ? l : r);
}

static int tree(int n)
{
	struct node *pool = calloc((size_t)n, sizeof *pool), *root = NULL;
	int h;

	for (int i = 0; i < n; i++) {
		pool[i].value = values[i];
		plant(&root, &pool[i]);
	}
	h = height(root);
	free(pool);
	return h;
}

enum { SIDE = 60 };

static int multiply(void)
{
	static int a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
	int sum = 0;

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			a[i][j] = i * j % 17, b[i][j] = (i + j) % 19;
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			c[i][j] = 0;
			for (int k = 0; k < SIDE; k++)
				c[i][j] += a[i][k] * b[k][j];
			sum += c[i][j];
		}
	return sum;
}

static int sieve(int n)
{
	static char out[40000];
	int primes = 0;

	for (int i = 0; i < n; i++)
		out[i] = 0;
	for (int i = 2; i < n; i++) {
		if (out[i])
			continue;
		primes++;
		for (int j = i + i; j < n; j += i)
			out[j] = 1;
	}
	return primes;
}

int main(int argc, char **argv)
{
	int v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, n = rounds(argc, 40);
	unsigned sum = 0;

	(void)argv;
	for (int i = 0; i < n; i++) {
		char column[8] = {0}, up[16] = {0}, down[17] = {0};

		towers(15, 1, 2, 3);
		sum += (unsigned)permute(v, 8);
		for (int k = 0; k < 8; k++)
			sum += (unsigned)place_queen(0, 8, column, up, down);
		shuffle(6000);
		quick(values, 0, 5999);
		shuffle(1500);
		bubble(values, 1500);
		shuffle(6000);
		for (int k = 0; k < 4; k++)
			sum += (unsigned)tree(6000);
		for (int k = 0; k < 6; k++)
			sum += (unsigned)(multiply() + sieve(40000));
		sum = sum * 31 + (unsigned)values[100] + moves;
	}
	printf("%u\n", sum);
	return 0;
}
