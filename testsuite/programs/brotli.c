/* SPDX-License-Identifier: Apache-2.0 */
/* brotli.c - compress and decompress text at several qualities */
#include <brotli/decode.h>
#include <brotli/encode.h>
#include <stdio.h>
#include "corpus.h"

int main(int argc, char **argv)
{
	size_t size = corpus_size(argc, 4 << 20), packed = 0;
	size_t room = BrotliEncoderMaxCompressedSize(size);
	char *in = corpus_text(size);
	uint8_t *out = malloc(room), *back = malloc(size);

	(void)argv;
	for (int quality = 1; quality < 11; quality += 4) {
		size_t n = room, m = size;
		if (!BrotliEncoderCompress(quality, 22, BROTLI_MODE_TEXT, size, (uint8_t *)in, &n, out))
			return 1;
		packed += n;
		if (BrotliDecoderDecompress(n, out, &m, back) != BROTLI_DECODER_RESULT_SUCCESS || m != size ||
			memcmp(in, back, size) != 0)
			return 1;
	}
	printf("%zu\n", packed);
	return 0;
}
