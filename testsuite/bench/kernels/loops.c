/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loops.c - the inner loops of numerical programs
 *
 * The kinds of loop that the Livermore kernels stand for, each with its name: recurrences that
 * nothing can speed up, streams, gathers, searches.
 */
#include <stdio.h>
#include "kernel.h"

enum { N = 1001, SIDE = 64 };

static double x[N + 20], y[N + 20], z[N + 20], u[N + 20], v[N + 20], w[N + 20];
static double plane[SIDE][SIDE], other[SIDE][SIDE], field[7][SIDE][SIDE];
static int place[N];

static void fill(void)
{
	uint32_t s = 4711;

	for (int i = 0; i < N + 20; i++) {
		x[i] = 0.01 * (next_number(&s) % 100);
		y[i] = 0.5 + 0.001 * (next_number(&s) % 100);
		z[i] = 0.02 * (next_number(&s) % 50);
		u[i] = v[i] = w[i] = 0.003 * i;
	}
	for (int i = 0; i < N; i++)
		place[i] = (int)(next_number(&s) % N);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			plane[i][j] = 0.01 * (i + j), other[i][j] = 0.2;
			for (int k = 0; k < 7; k++)
				field[k][i][j] = 0.001 * (i * j % 13 + k);
		}
}

static double hydrodynamics(void)
{
	for (int k = 0; k < N; k++)
		x[k] = 0.3 + y[k] * (0.2 * z[k + 10] + 0.1 * z[k + 11]);
	return x[17];
}

static double conjugate_gradient(void)
{
	int upper = 512, at = 0, from = 0;

	do {
		from = at;
		at += upper;
		upper /= 2;
		for (int k = from + 1, i = at; k < at; k += 2)
			x[i++ < N ? i : N] = x[k] - v[k] * x[k - 1] * 0.01;
	} while (upper > 1 && at + upper < N);
	return x[at];
}

static double inner_product(void)
{
	double q = 0;

	for (int k = 0; k < N; k++)
		q += z[k] * x[k];
	return q;
}

static double tridiagonal(void)
{
	for (int k = 1; k < N; k++)
		w[k] = z[k] * (y[k] - w[k - 1]);
	return w[N - 1];
}

static double linear_recurrence(void)
{
	for (int i = 1; i < 96; i++) {
		double s = 0.01;

		for (int k = 0; k < i; k++)
			s += plane[k % SIDE][i % SIDE] * 0.001 * u[i - k - 1];
		u[i] = s;
	}
	return u[90];
}

static double state_equation(void)
{
	for (int k = 0; k < N; k++)
		x[k] = u[k] + 0.1 * (z[k] + 0.1 * y[k]) +
		       0.2 * (u[k + 3] + 0.1 * (u[k + 2] + 0.1 * u[k + 1]) +
				     0.2 * (u[k + 6] + 0.1 * (u[k + 5] + 0.1 * u[k + 4])));
	return x[5];
}

static double explicit_hydro(void)
{
	for (int i = 1; i < SIDE - 1; i++)
		for (int j = 1; j < SIDE - 1; j++)
			other[i][j] +=
				0.1 * (field[0][i][j] * (plane[i][j] - plane[i][j + 1]) -
					      field[1][i][j] * (plane[i][j] - plane[i][j - 1]) -
					      field[2][i][j] * (plane[i][j] - plane[i - 1][j]) +
					      field[3][i][j] * (plane[i][j] - plane[i + 1][j]));
	return other[9][9];
}

static double predict(void)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			double s = plane[i][j];

			for (int k = 0; k < 7; k++)
				s += 0.01 * field[k][j][i];
			other[i][j] = s;
		}
	return other[3][3];
}

static double first_sum(void)
{
	for (int k = 1; k < N; k++)
		v[k] = v[k - 1] * 0.5 + y[k];
	return v[N - 1];
}

static double particles(void)
{
	double e = 0;

	for (int k = 0; k < N; k++) {
		int i = place[k], j = (int)(y[i] * 900);

		w[j & 511] += 0.01 * z[i];
		e += x[j & 255] - w[(i + j) & 511] * 0.1;
		place[k] = (i + j) % N;
	}
	return e;
}

/* A search whose way depends on the data at each step. */
static double monte_carlo(void)
{
	int at = 1, seen = 0;

	for (int k = 0; k < 3000; k++) {
		double d = y[place[k % N]] - 0.55;

		seen++;
		if (d < 0) {
			if (place[at] & 1)
				at += 3;
			else if (place[at] & 2)
				at += 5;
			else
				at -= 2;
		} else if (d == 0) {
			at ^= 7;
		} else {
			at -= seen & 3;
		}
		if (at < 0 || at >= N)
			at = (at & 511) + 1;
	}
	return at;
}

static double implicit_condition(void)
{
	double e3 = 1, e6 = 0.5;

	for (int k = 0; k < N; k++) {
		double e2 = e6 * y[k] + z[k];

		if (e2 > x[k])
			e3 = 0.9 * e3 + 0.01;
		else if (e2 < 0.2)
			e6 += 0.001;
		else
			e6 = 0.5 * (e6 + e3);
		u[k] = e3;
	}
	return e6;
}

static double first_minimum(void)
{
	int m = 0;

	for (int k = 1; k < N; k++)
		if (x[k] < x[m])
			m = k;
	return m;
}

int main(int argc, char **argv)
{
	int n = rounds(argc, 8000);
	double sum = 0;

	(void)argv;
	fill();
	for (int i = 0; i < n; i++) {
		sum += hydrodynamics() + conjugate_gradient() + inner_product() + tridiagonal();
		sum += linear_recurrence() + state_equation() + explicit_hydro() + first_sum();
		sum += particles() + monte_carlo() + implicit_condition() + first_minimum();
		if (i % 4 == 0)
			sum += predict();
	}
	printf("%.6e\n", sum);
	return 0;
}
