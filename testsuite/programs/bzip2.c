/* SPDX-License-Identifier: Apache-2.0 */
/* bzip2.c - compress and decompress with libbz2 */
#include <bzlib.h>
#include <stdio.h>
#include "corpus.h"

int main(int argc, char **argv)
{
	unsigned n = corpus_size(argc, 2 << 20), m = n + n / 50 + 1000, k = n;
	char *in = corpus_text(n), *out = malloc(m), *back = malloc(n);

	(void)argv;
	if (BZ2_bzBuffToBuffCompress(out, &m, in, n, 9, 0, 0) != BZ_OK)
		return 1;
	if (BZ2_bzBuffToBuffDecompress(back, &k, out, m, 0, 0) != BZ_OK || memcmp(in, back, n))
		return 2;
	printf("%u %u\n", k, m);
	return 0;
}
