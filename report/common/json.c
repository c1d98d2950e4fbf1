/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - see json.h */
#include "report/common/json.h"

#include "base/base.h"
#include "report/common/util.h"

#include <inttypes.h>
#include <stdarg.h>

struct json json_to(FILE *out)
{
	return (struct json){.out = out, .indent = -1};
}

static void begin_line(struct json *j)
{
	if (j->indent >= 0)
		fprintf(j->out, "\n%*s", j->indent, "");
	j->indent = -1;
}

static void begin_value(struct json *j, const char *key)
{
	if (j->follows)
		fputc(',', j->out);
	begin_line(j);
	if (key) {
		put_json(j->out, key);
		fputc(':', j->out);
	}
	j->follows = true;
}

static void open_bracket(struct json *j, const char *key, bool array)
{
	begin_value(j, key);
	fputc(array ? '[' : '{', j->out);
	j->follows = false;
	j->arrays = j->arrays << 1 | array;
	if (++j->depth > 64)
		bug("JSON of more than 64 levels");
}

void json_object(struct json *j, const char *key)
{
	open_bracket(j, key, false);
}

void json_array(struct json *j, const char *key)
{
	open_bracket(j, key, true);
}

void json_end(struct json *j)
{
	begin_line(j);
	fputc(j->arrays & 1 ? ']' : '}', j->out);
	j->arrays >>= 1;
	j->depth--;
	j->follows = true;
}

void json_line(struct json *j, int indent)
{
	j->indent = indent;
}

void json_text(struct json *j, const char *key, const char *text)
{
	begin_value(j, key);
	if (text)
		put_json(j->out, text);
	else
		fputs("null", j->out);
}

void json_number(struct json *j, const char *key, uint64_t n)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRIu64, n);
}

void json_known(struct json *j, const char *key, bool known, uint64_t n)
{
	if (known)
		json_number(j, key, n);
	else
		json_null(j, key);
}

void json_bool(struct json *j, const char *key, bool is)
{
	begin_value(j, key);
	fputs(is ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	begin_value(j, key);
	fputs("null", j->out);
}

void json_print(struct json *j, const char *key, const char *fmt, ...)
{
	va_list ap;
	begin_value(j, key);
	va_start(ap, fmt);
	vfprintf(j->out, fmt, ap);
	va_end(ap);
}
