/* SPDX-License-Identifier: Apache-2.0 */
/* corpus.h - text to work on: the same bytes on every machine */
#ifndef LDX_BENCH_CORPUS_H
#define LDX_BENCH_CORPUS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* n bytes of words of which few are frequent: it compresses like prose. */
static inline char *corpus_text(size_t n)
{
	char *s = (char *)malloc(n + 32);
	uint64_t x = 88172645463325252ULL;
	size_t i = 0;

	while (i < n) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t w = (x & 0xffff) * (x >> 16 & 0xffff) >> 22;

		for (uint64_t k = w * 2654435761u + 3; k && i < n + 16; k /= 29)
			s[i++] = "etaoinshrdlucmfwypvbgkjqxz,.\n"[k % 29];
		s[i++] = ' ';
	}
	s[n] = 0;
	return s;
}

/* With an argument the programs do an eighth of their work: enough for counting. */
static inline size_t corpus_size(int argc, size_t n)
{
	return argc > 1 ? n / 8 : n;
}

static inline uint64_t corpus_hash(const void *p, size_t n)
{
	uint64_t h = 14695981039346656037ULL;

	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const unsigned char *)p)[i]) * 1099511628211ULL;
	return h;
}

#endif
