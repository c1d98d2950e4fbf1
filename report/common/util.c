/* SPDX-License-Identifier: Apache-2.0 */
/*
 * util.c - memory, messages, input and output for ldxprof
 */
#include "report/common/util.h"

#include "base/demangle.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void die(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vfatal(NULL, fmt, ap);
}

void die_with(int status)
{
	diag_status = status;
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

const char *input_try(struct input *in, const char *path)
{
	struct stat st;
	const char *why = NULL;
	*in = (struct input){.path = path, .data = (const uint8_t *)""};
	in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in->fd < 0)
		return strerror(errno);
	if (fstat(in->fd, &st))
		why = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		why = "not a regular file";
	else
		in->size = (size_t)st.st_size;
	if (in->size)
		in->data = mmap(NULL, in->size, PROT_READ, MAP_SHARED, in->fd, 0);
	if (in->data == MAP_FAILED)
		why = strerror(errno);
	if (why)
		close(in->fd);
	return why;
}

bool input_open(struct input *in, const char *path)
{
	const char *why = input_try(in, path);
	if (why && in->fd < 0 && errno == ENOENT)
		return false;
	if (why)
		die("cannot open %s: %s", path, why);
	return true;
}

void input_close(struct input *in)
{
	if (in->size)
		munmap((void *)in->data, in->size);
	close(in->fd);
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

void put_json(FILE *out, const char *s)
{
	const char *from = s; /* start of characters that are printed unchanged */
	fputc('"', out);
	for (const char *p = s; *s; s = p) {
		int32_t c = take_character(&p);
		if (c != '"' && c != '\\' && c != NO_CHARACTER && is_harmless(c))
			continue;
		fwrite(from, 1, (size_t)(s - from), out);
		from = p;
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (char)c);
		else if (c == '\n' || c == '\t')
			fputs(c == '\n' ? "\\n" : "\\t", out);
		else
			fprintf(out, "\\u%04x", c == NO_CHARACTER ? 0xfffd : (unsigned)c);
	}
	fwrite(from, 1, (size_t)(s - from), out);
	fputc('"', out);
}

const char *demangled(const char *name)
{
	char *s = demangle(name);
	return s ? s : name;
}

const char *last_part(const char *path)
{
	size_t n = strlen(path);
	const char *member = n && path[n - 1] == ')' ? strrchr(path, '(') : NULL;
	const char *slash = memrchr(path, '/', member ? (size_t)(member - path) : n);
	return slash ? slash + 1 : path;
}
