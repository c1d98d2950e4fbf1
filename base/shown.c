/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.c - escaping of names for output; see shown.h
 */
#include "base/shown.h"

#include <stdlib.h>
#include <string.h>

/* RFC 3629, section 4. */
int32_t take_character(const char **s)
{
	static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)(*s)++;
	if (p[0] < 0x80)
		return p[0];
	int n = p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf8 ? 4 : 0;
	int32_t c = n ? p[0] & (0x7f >> n) : 0;
	for (int i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return NO_CHARACTER;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (!n || c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return NO_CHARACTER;
	*s += n - 1;
	return c;
}

/* Control characters of both sets, ends of lines and paragraphs, directions of text (UAX #9). */
bool is_harmless(int32_t c)
{
	return c >= 0x20 && !(c >= 0x7f && c <= 0x9f) && c != 0x61c &&
		!(c >= 0x200e && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e) &&
		!(c >= 0x2066 && c <= 0x2069);
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_code(const char *s)
{
	return s[0] == '\\' && s[1] == 'x' && is_hex(s[2]) && is_hex(s[3]);
}

/* The length of the next character at s, and whether it is printed unchanged. */
static size_t next_part(const char *s, bool *as_is)
{
	const char *end = s;
	*as_is = is_harmless(take_character(&end)) && !is_code(s);
	return (size_t)(end - s);
}

void put_shown(FILE *out, const char *s)
{
	bool as_is;
	const char *from = s; /* start of parts that are printed unchanged */
	for (size_t n; *s; s += n) {
		n = next_part(s, &as_is);
		if (as_is)
			continue;
		fwrite(from, 1, (size_t)(s - from), out);
		for (size_t i = 0; i < n; i++)
			fprintf(out, "\\x%02x", (unsigned char)s[i]);
		from = s + n;
	}
	fwrite(from, 1, (size_t)(s - from), out);
}

const char *shown(const char *s)
{
	const char *p = s;
	bool as_is = true;
	while (*p && as_is)
		p += next_part(p, &as_is);
	if (as_is)
		return s;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return "?";
	put_shown(f, s);
	return fclose(f) ? "?" : text;
}

static char hex_value(char c)
{
	return (char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

void unshow(char *s)
{
	char *out = s;
	for (; *s; s++) {
		if (!is_code(s)) {
			*out++ = *s;
			continue;
		}
		*out++ = (char)(hex_value(s[2]) << 4 | hex_value(s[3]));
		s += 3;
	}
	*out = 0;
}
