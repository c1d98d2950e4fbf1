/* SPDX-License-Identifier: Apache-2.0 */
/* zopfli.c - compress text as well as deflate can */
#include <stdio.h>
#include <zopfli.h>
#include "corpus.h"

int main(int argc, char **argv)
{
	size_t size = corpus_size(argc, 1 << 20), packed = 0;
	unsigned char *out = NULL;
	ZopfliOptions o;

	(void)argv;
	ZopfliInitOptions(&o);
	o.numiterations = 5;
	ZopfliCompress(&o, ZOPFLI_FORMAT_ZLIB, (unsigned char *)corpus_text(size), size, &out, &packed);
	printf("%zu\n", packed);
	free(out);
	return 0;
}
