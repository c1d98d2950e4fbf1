/* SPDX-License-Identifier: Apache-2.0 */
/* zstd.c - compress and decompress with libzstd */
#include <stdio.h>
#include <zstd.h>
#include "corpus.h"

int main(int argc, char **argv)
{
	size_t n = corpus_size(argc, 4 << 20), size = ZSTD_compressBound(n), m = 0;
	/* one piece: zstd compares the addresses of its buffers */
	char *in = malloc(n + size + n), *out = in + n, *back = out + size;

	(void)argv;
	memcpy(in, corpus_text(n), n);

	for (int level = 1; level <= 11; level += 5) {
		m = ZSTD_compress(out, size, in, n, level);
		for (int i = 0; i < 5; i++)
			if (ZSTD_decompress(back, n, out, m) != n)
				return 1;
		printf("%zu %d\n", m, memcmp(in, back, n));
	}
	return 0;
}
