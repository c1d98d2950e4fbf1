/* SPDX-License-Identifier: Apache-2.0 */
/* Counts by itself how often some of its lines are executed; with -DOTHER a second object. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("hidden"))) extern volatile unsigned long hits[200];
unsigned long other(unsigned long n);

#define HERE hits[__LINE__]++

static inline __attribute__((always_inline)) unsigned long mix(unsigned long n)
{
	if (n % 3 == 0)
		HERE;
	return n * 7;
}

#ifndef OTHER
volatile unsigned long hits[200];

static __attribute__((noinline)) unsigned long twin(unsigned long n)
{
	return n % 5 ? n + 1 : n / 2;
}

__attribute__((noinline, visibility("hidden"))) unsigned long unseen(unsigned long n)
{
	switch (n % 8) {
	case 0: HERE; return n + 3;
	case 1: HERE; return n * 5;
	case 2: HERE; return n ^ 9;
	case 3: HERE; return n - 7;
	case 4: HERE; return n | 1;
	default: HERE; return twin(n);
	}
}

__attribute__((noinline)) unsigned long walk(unsigned long n)
{
	unsigned long sum = 0;
	for (unsigned long i = 0; i < n; i++) {
		HERE;
		sum += mix(i);
		if (i % 10 == 9) {
			HERE;
			sum += unseen(i);
		}
	}
	return sum;
}

void never(void)
{
	HERE;
}

int main(int argc, char **argv)
{
	unsigned long n = 1000UL * (unsigned long)argc;
	if (argc > 100)
		never();
	fprintf(stderr, "%lu\n", walk(n) + mix(n) + other(n));
	for (unsigned line = 0; line < sizeof hits / sizeof *hits; line++)
		if (hits[line])
			printf("%u %lu\n", line, hits[line]);
	return argv[0] == NULL;
}
#else
static __attribute__((noinline)) unsigned long twin(unsigned long n)
{
	return n % 2 ? n : n + 4;
}

__attribute__((noinline)) unsigned long other(unsigned long n)
{
	return twin(n) + mix(n + 1);
}
#endif
