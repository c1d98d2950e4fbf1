/* SPDX-License-Identifier: Apache-2.0 */
/*
 * util.c - memory, messages, input and output for ldxprof
 */
#include "report/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Itanium C++ ABI 3.4; in the C++ runtime library, which has no C header for it. */
extern char *__cxa_demangle(const char *name, char *buf, size_t *n, int *status);

static void say(const char *what, const char *fmt, va_list ap)
{
	fflush(stdout);
	fprintf(stderr, "ldxprof: %s: ", what);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void die(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("error", fmt, ap);
	va_end(ap);
	exit(1);
}

void warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("warning", fmt, ap);
	va_end(ap);
}

void *new_array(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);
	if (!p)
		die("out of memory");
	return p;
}

char *new_string(const char *fmt, ...)
{
	va_list ap;
	char *s;
	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	return s;
}

bool input_open(struct input *in, const char *path)
{
	struct stat st;
	*in = (struct input){.path = path, .data = (const uint8_t *)""};
	in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in->fd < 0 && errno == ENOENT)
		return false;
	if (in->fd < 0 || fstat(in->fd, &st))
		die("cannot open %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		die("%s: not a regular file", path);
	in->size = (size_t)st.st_size;
	if (!in->size)
		return true;
	in->data = mmap(NULL, in->size, PROT_READ, MAP_SHARED, in->fd, 0);
	if (in->data == MAP_FAILED)
		die("cannot read %s: %s", path, strerror(errno));
	return true;
}

void input_close(struct input *in)
{
	if (in->size)
		munmap((void *)in->data, in->size);
	close(in->fd);
}

uint64_t take_u64(struct cursor *c)
{
	uint64_t x = 0;
	if (c->end - c->p < 8) {
		c->p = c->end;
		c->bad = true;
		return 0;
	}
	for (int i = 0; i < 8; i++)
		x |= (uint64_t)*c->p++ << 8 * i;
	return x;
}

/* The bytes of a LEB128 number; *bits is set to how many bits they have. */
static uint64_t take_leb(struct cursor *c, unsigned *bits, bool *negative)
{
	uint64_t x = 0;
	for (*bits = 0; c->p < c->end && *bits < 70; *bits += 7) {
		uint8_t byte = *c->p++;
		x |= *bits < 64 ? (uint64_t)(byte & 0x7f) << *bits : 0;
		if (byte & 0x80)
			continue;
		*negative = byte & 0x40;
		if (*bits == 63 && byte > 1 && byte != 0x7f)
			break;
		*bits += 7;
		return x;
	}
	c->bad = true;
	c->p = c->end;
	return 0;
}

uint64_t take_uleb(struct cursor *c)
{
	unsigned bits;
	bool negative;
	return take_leb(c, &bits, &negative);
}

int64_t take_sleb(struct cursor *c)
{
	unsigned bits;
	bool negative = false;
	uint64_t x = take_leb(c, &bits, &negative);
	if (!c->bad && negative && bits < 64)
		x |= ~(uint64_t)0 << bits;
	return (int64_t)x;
}

uint64_t add_sat(uint64_t a, uint64_t b)
{
	uint64_t x;
	return __builtin_add_overflow(a, b, &x) ? UINT64_MAX : x;
}

uint64_t mul_sat(uint64_t a, uint64_t b)
{
	uint64_t x;
	return __builtin_mul_overflow(a, b, &x) ? UINT64_MAX : x;
}

/* The length of the UTF-8 character at s; 0: it is none (RFC 3629, section 4). */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] > 0xf4 || (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
		(s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

void put_json(FILE *out, const char *s)
{
	fputc('"', out);
	for (const unsigned char *p = (const unsigned char *)s; *p;) {
		size_t n = utf8_length(p);
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			fprintf(out, "\\u%04x", *p);
		else if (!n)
			fputs("\\ufffd", out);
		else
			fwrite(p, 1, n, out);
		p += n ? n : 1;
	}
	fputc('"', out);
}

const char *demangled(const char *name)
{
	int status;
	if (strncmp(name, "_Z", 2) != 0)
		return name;
	char *s = __cxa_demangle(name, NULL, NULL, &status);
	return s ? s : name;
}
