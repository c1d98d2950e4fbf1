/* SPDX-License-Identifier: Apache-2.0 */
/* zstd.c - compress and decompress with libzstd */
#include <stdio.h>
#include <zstd.h>
#include "corpus.h"

int main(void)
{
	size_t n = 8 << 20, size = ZSTD_compressBound(n), m = 0;
	char *in = corpus_text(n), *out = malloc(size), *back = malloc(n);

	for (int level = 1; level <= 11; level += 5) {
		m = ZSTD_compress(out, size, in, n, level);
		for (int i = 0; i < 5; i++)
			if (ZSTD_decompress(back, n, out, m) != n)
				return 1;
		printf("%zu %d\n", m, memcmp(in, back, n));
	}
	return 0;
}
