/* SPDX-License-Identifier: Apache-2.0 */
/* lz4.c - compress and decompress text, fast and well */
#include <lz4.h>
#include <lz4hc.h>
#include <stdio.h>
#include "corpus.h"

int main(int argc, char **argv)
{
	size_t size = corpus_size(argc, 8 << 20), packed = 0;
	int room = LZ4_compressBound((int)size);
	char *in = corpus_text(size), *out = malloc(room), *back = malloc(size);

	(void)argv;
	for (int level = 0; level < 10; level += 3) {
		int n = level ? LZ4_compress_HC(in, out, (int)size, room, level)
			      : LZ4_compress_default(in, out, (int)size, room);
		packed += n;
		if (LZ4_decompress_safe(out, back, n, (int)size) != (int)size || memcmp(in, back, size) != 0)
			return 1;
	}
	printf("%zu\n", packed);
	return 0;
}
