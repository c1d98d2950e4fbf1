/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear.c - a system of linear equations by elimination with pivots, column by column
 *
 * The three vector routines that Linpack spends its time in, called as functions.
 */
#include <math.h>
#include <stdio.h>
#include "kernel.h"

enum { N = 200 };

#define OWN __attribute__((noinline))

static double a[N][N], b[N]; /* a[column][row] */
static int pivots[N];

static OWN void add_scaled(int n, double s, const double *x, double *y)
{
	if (n <= 0 || s == 0)
		return;
	for (int i = 0; i < n; i++)
		y[i] += s * x[i];
}

static OWN void scale(int n, double s, double *x)
{
	for (int i = 0; i < n; i++)
		x[i] *= s;
}

static OWN int largest(int n, const double *x)
{
	int at = 0;

	for (int i = 1; i < n; i++)
		if (fabs(x[i]) > fabs(x[at]))
			at = i;
	return at;
}

static void generate(uint32_t s)
{
	for (int j = 0; j < N; j++)
		b[j] = 0;
	for (int j = 0; j < N; j++)
		for (int i = 0; i < N; i++) {
			a[j][i] = (double)(next_number(&s) % 65536) / 16384 - 2;
			b[i] += a[j][i];
		}
}

static void factor(void)
{
	for (int k = 0; k < N - 1; k++) {
		int p = k + largest(N - k, a[k] + k);
		double t = a[k][p];

		pivots[k] = p;
		if (t == 0)
			continue;
		a[k][p] = a[k][k], a[k][k] = t;
		scale(N - k - 1, -1 / t, a[k] + k + 1);
		for (int j = k + 1; j < N; j++) {
			t = a[j][p];
			if (p != k)
				a[j][p] = a[j][k], a[j][k] = t;
			add_scaled(N - k - 1, t, a[k] + k + 1, a[j] + k + 1);
		}
	}
}

static void solve(void)
{
	for (int k = 0; k < N - 1; k++) {
		double t = b[pivots[k]];

		b[pivots[k]] = b[k], b[k] = t;
		add_scaled(N - k - 1, t, a[k] + k + 1, b + k + 1);
	}
	for (int k = N - 1; k >= 0; k--) {
		b[k] /= a[k][k];
		add_scaled(k, -b[k], a[k], b);
	}
}

int main(int argc, char **argv)
{
	int n = rounds(argc, 150);
	double worst = 0;

	(void)argv;
	for (int i = 0; i < n; i++) {
		generate((uint32_t)i + 1325);
		factor();
		solve();
		for (int k = 0; k < N; k++)
			worst = fmax(worst, fabs(b[k] - 1));
	}
	printf("%d %d\n", n, worst < 1e-6);
	return 0;
}
