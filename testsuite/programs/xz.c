/* SPDX-License-Identifier: Apache-2.0 */
/* xz.c - compress and decompress with liblzma */
#include <lzma.h>
#include <stdio.h>
#include "corpus.h"

int main(int argc, char **argv)
{
	size_t n = corpus_size(argc, 1 << 20), m = 0, size = lzma_stream_buffer_bound(n), in_pos = 0, out_pos = 0;
	char *in = corpus_text(n);
	uint8_t *out = malloc(size), *back = malloc(n);
	uint64_t limit = UINT64_MAX;

	(void)argv;
	if (lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (uint8_t *)in, n, out, &m, size) != LZMA_OK)
		return 1;
	for (int i = 0; i < 10; i++) {
		in_pos = out_pos = 0;
		if (lzma_stream_buffer_decode(&limit, 0, NULL, out, &in_pos, m, back, &out_pos, n) != LZMA_OK)
			return 2;
	}
	printf("%zu %d\n", m, memcmp(in, back, n));
	return 0;
}
