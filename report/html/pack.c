/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.c - the data of a page, compressed; see pack.h
 */
#include "report/html/pack.h"

#include "report/common/util.h"

#include <stdio_ext.h>
#include <stdlib.h>
#include <zlib.h>

/* The size of a chunk in bytes, which a browser unpacks in a few milliseconds. */
enum { FULL = 256 << 10 };

/* zlib's: level 6 takes more than twice as long, and makes a page smaller by a tenth. */
enum { LEVEL = 4 };

static void put_base64(FILE *out, const uint8_t *v, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = new_array((n + 2) / 3, 4), *to = text;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t x = (uint32_t)v[i] << 16;
		x |= i + 1 < n ? (uint32_t)v[i + 1] << 8 : 0;
		x |= i + 2 < n ? v[i + 2] : 0;
		*to++ = digits[x >> 18];
		*to++ = digits[x >> 12 & 63];
		*to++ = i + 1 < n ? digits[x >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digits[x & 63] : '=';
	}
	fwrite(text, 1, (size_t)(to - text), out);
	free(text);
}

static void put_deflated(FILE *out, const char *text, size_t n)
{
	uLongf size = compressBound(n);
	uint8_t *v = malloc(size);
	if (!v || compress2(v, &size, (const Bytef *)text, n, LEVEL) != Z_OK)
		die("out of memory");
	put_base64(out, v, size);
	free(v);
}

void pack_number(FILE *out, bool known, uint64_t n)
{
	static const uint64_t exact = (uint64_t)1 << 53;
	char text[24], *end = text + sizeof text, *to = end;
	if (!known) {
		fputs("null", out);
		return;
	}
	if (n >= exact)
		*--to = '"';
	for (uint64_t x = n; x || to == end - (n >= exact); x /= 10)
		*--to = (char)('0' + x % 10);
	if (n >= exact)
		*--to = '"';
	fwrite_unlocked(to, 1, (size_t)(end - to), out);
}

FILE *pack_item(struct pack *p)
{
	if (p->item && ftell(p->item) >= FULL)
		pack_flush(p);
	if (!p->item) {
		p->item = open_memstream(&p->text, &p->size);
		if (!p->item)
			die("out of memory");
		__fsetlocking(p->item, FSETLOCKING_BYCALLER);
		p->chunks++;
		p->items = 0;
	}
	fputc(p->items++ ? ',' : '[', p->item);
	return p->item;
}

void pack_flush(struct pack *p)
{
	if (!p->item)
		return;
	fputc(']', p->item);
	if (fclose(p->item))
		die("out of memory");
	fprintf(p->out, "<script type=\"application/octet-stream\" id=\"c%u\">", p->chunks - 1);
	put_deflated(p->out, p->text, p->size);
	fputs("</script>\n", p->out);
	vec_push(&p->items_of, p->items);
	free(p->text);
	p->item = NULL;
}
