/* SPDX-License-Identifier: Apache-2.0 */
/* jpeg.c - compress and decompress an image in memory with libjpeg: much of it is SIMD assembly */
#include <stdio.h>
#include <jpeglib.h>
#include "corpus.h"

enum { W = 1024, H = 1024 };

static unsigned long compress(unsigned char *pixels, unsigned char **out)
{
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr e;
	unsigned long n = 0;

	c.err = jpeg_std_error(&e);
	jpeg_create_compress(&c);
	jpeg_mem_dest(&c, out, &n);
	c.image_width = W, c.image_height = H, c.input_components = 3, c.in_color_space = JCS_RGB;
	jpeg_set_defaults(&c);
	c.optimize_coding = TRUE;
	jpeg_start_compress(&c, TRUE);
	while (c.next_scanline < H) {
		JSAMPROW row = pixels + (size_t)c.next_scanline * W * 3;

		jpeg_write_scanlines(&c, &row, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
	return n;
}

static uint64_t decompress(const unsigned char *in, unsigned long n, unsigned char *pixels)
{
	struct jpeg_decompress_struct d;
	struct jpeg_error_mgr e;

	d.err = jpeg_std_error(&e);
	jpeg_create_decompress(&d);
	jpeg_mem_src(&d, in, n);
	jpeg_read_header(&d, TRUE);
	jpeg_start_decompress(&d);
	while (d.output_scanline < H) {
		JSAMPROW row = pixels + (size_t)d.output_scanline * W * 3;

		jpeg_read_scanlines(&d, &row, 1);
	}
	jpeg_finish_decompress(&d);
	jpeg_destroy_decompress(&d);
	return corpus_hash(pixels, (size_t)W * H * 3);
}

int main(int argc, char **argv)
{
	size_t n = (size_t)W * H * 3;
	unsigned char *pixels = malloc(n), *out = NULL;
	const char *noise = corpus_text(n);
	uint64_t h = 0;
	unsigned long m = 0;

	(void)argv;
	for (size_t i = 0; i < n; i++)
		pixels[i] = (unsigned char)(i / 3 % W / 4 + i / 3 / W / 8 + (noise[i] & 15));
	for (size_t i = 0; i < corpus_size(argc, 8); i++) {
		m = compress(pixels, &out);
		h = decompress(out, m, pixels);
	}
	printf("%lu %llx\n", m, (unsigned long long)h);
	return 0;
}
