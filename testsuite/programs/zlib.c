/* SPDX-License-Identifier: Apache-2.0 */
/* zlib.c - compress and decompress with libz */
#include <stdio.h>
#include <zlib.h>
#include "corpus.h"

int main(int argc, char **argv)
{
	uLong n = corpus_size(argc, 8 << 20), m, k;
	char *in = corpus_text(n), *out = malloc(compressBound(n)), *back = malloc(n);

	(void)argv;
	for (int level = 1; level <= 9; level += 4) {
		m = compressBound(n);
		k = n;
		if (compress2((Bytef *)out, &m, (Bytef *)in, n, level) != Z_OK)
			return 1;
		if (uncompress((Bytef *)back, &k, (Bytef *)out, m) != Z_OK || memcmp(in, back, n))
			return 2;
		printf("%lu %lu\n", k, m);
	}
	return 0;
}
