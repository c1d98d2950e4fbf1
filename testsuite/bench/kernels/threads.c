/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - the same work by one thread or by several: threads N
 *
 * Each piece of work sorts and searches memory of its own, so that whatever the threads share
 * is shared by what counts them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernel.h"

enum { PIECES = 64, SIZE = 30000 };

static unsigned results[PIECES];
static int threads;

static void sift(uint32_t *v, size_t at, size_t n)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && v[child + 1] > v[child])
			child++;
		if (v[at] >= v[child])
			return;
		uint32_t t = v[at];

		v[at] = v[child], v[child] = t;
	}
}

static void heapsort_(uint32_t *v, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(v, i, n);
	for (size_t i = n; i-- > 1;) {
		uint32_t t = v[0];

		v[0] = v[i], v[i] = t;
		sift(v, 0, i);
	}
}

static unsigned search(const uint32_t *v, size_t n, uint32_t key)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (v[mid] < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (unsigned)lo;
}

static unsigned piece(int k)
{
	uint32_t seed = (uint32_t)k + 12345, *v = malloc(SIZE * sizeof *v);
	unsigned sum = 0;

	for (int i = 0; i < SIZE; i++)
		v[i] = next_number(&seed);
	heapsort_(v, SIZE);
	for (int i = 0; i < SIZE; i++)
		sum += search(v, SIZE, next_number(&seed));
	free(v);
	return sum;
}

static void *work(void *arg)
{
	for (int k = (int)(intptr_t)arg; k < PIECES; k += threads)
		results[k] = piece(k);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[64];
	unsigned sum = 0;

	threads = argc > 1 ? atoi(argv[1]) : 1;
	if (threads < 1 || threads > 64)
		return 2;
	for (int i = 1; i < threads; i++)
		if (pthread_create(&t[i], NULL, work, (void *)(intptr_t)i))
			return 1;
	work(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(t[i], NULL);
	for (int k = 0; k < PIECES; k++)
		sum = sum * 31 + results[k];
	printf("%u\n", sum);
	return 0;
}
