/* SPDX-License-Identifier: Apache-2.0 */
/* png.c - write and read an image in memory with libpng and libz */
#include <png.h>
#include <stdio.h>
#include "corpus.h"

int main(int argc, char **argv)
{
	png_image image = { .version = PNG_IMAGE_VERSION, .width = 1024, .height = 1024, .format = PNG_FORMAT_RGB };
	size_t n = 3 * 1024 * 1024;
	png_alloc_size_t m = 2 * n;
	unsigned char *in = malloc(n), *out = malloc(2 * n), *back = malloc(n);
	const char *noise = corpus_text(n);

	(void)argv;
	for (size_t i = 0; i < n; i++)
		in[i] = (unsigned char)(i / 3 % 1024 / 4 + i / 3072 / 8 + (noise[i] & 3));
	if (!png_image_write_to_memory(&image, out, &m, 0, in, 0, NULL))
		return 1;
	for (size_t i = 0; i < corpus_size(argc, 8); i++) {
		png_image_begin_read_from_memory(&image, out, m);
		image.format = PNG_FORMAT_RGB;
		if (!png_image_finish_read(&image, NULL, back, 0, NULL))
			return 2;
	}
	printf("%lu %d\n", (unsigned long)m, memcmp(in, back, n));
	return 0;
}
