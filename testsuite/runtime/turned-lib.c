/* SPDX-License-Identifier: Apache-2.0 */
/* The library of turned.py; with -DMALLOC one that takes the place of malloc(3) by LD_PRELOAD. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

unsigned work(unsigned n);
unsigned threads(int n);
/* No counter can be held in a register. */
unsigned work(unsigned n)
{
	unsigned sum = 0, x = n;

	for (unsigned i = 0; i < 100000; i++) {
		x = x * 1664525 + 1013904223;
		switch (x >> 29) {
		case 0: sum += i; break;
		case 1: sum ^= x; break;
		case 2: sum = sum << 3 | i; break;
		case 3: sum -= x; break;
		case 4: sum = ~sum; break;
		case 5: sum += x >> 9; break;
		default: sum *= 3; break;
		}
	}
	return sum;
}

static void *start(void *n)
{
	return (void *)(size_t)work((unsigned)(size_t)n);
}

/* Threads that the library makes, besides its own. */
unsigned threads(int n)
{
	pthread_t t[64];
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, start, (void *)(size_t)i);
	unsigned sum = work((unsigned)n);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return sum;
}

size_t thread_base(void);
size_t thread_base(void)
{
	size_t base;
	__asm__ volatile("rdgsbase %0" : "=r"(base));
	return base;
}

#ifdef DEAD
__attribute__((visibility("hidden"))) int dead(int n);
int dead(int n)
{
	return n > 3 ? 7 * n : n;
}
#endif

#ifdef MALLOC
static char memory[64 << 20] __attribute__((aligned(16)));
static size_t used;

void *malloc(size_t n)
{
	n = (n + 31) & ~(size_t)15;
	size_t at = __atomic_fetch_add(&used, n, __ATOMIC_SEQ_CST);
	if (at > sizeof memory - n)
		return NULL;
	*(size_t *)(memory + at) = n - 16;
	return memory + at + 16;
}

void *calloc(size_t a, size_t b)
{
	return malloc(a * b);
}

void *realloc(void *p, size_t n)
{
	void *q = malloc(n);
	size_t old = p ? ((size_t *)p)[-2] : 0;
	if (q && p)
		memcpy(q, p, old < n ? old : n);
	return q;
}

void free(void *p)
{
	(void)p;
}
#endif
