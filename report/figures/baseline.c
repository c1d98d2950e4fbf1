/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline.c - figures in a file
 */
#include "report/figures/baseline.h"

#include "report/common/output.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "instructions\tfunction\tfile\tobject\n";

void baseline_write(const struct figures *f, const char *path)
{
	struct output out = output_open(path);
	fputs(head, out.f);
	for (size_t i = 0; i < f->n; i++) {
		const struct figure *x = &f->v[i];
		fprintf(out.f, "%" PRIu64 "\t", x->value);
		put_shown(out.f, x->name);
		fputc('\t', out.f);
		put_shown(out.f, x->file);
		fputc('\t', out.f);
		put_shown(out.f, x->object);
		fputc('\n', out.f);
	}
	output_close(&out);
}

/* Cuts the next field of a line, up to sign; NULL: there is no such sign. */
static char *take_field(char **line, char sign)
{
	char *field = *line, *end = strchr(field, sign);
	if (!end)
		return NULL;
	*end = '\0';
	*line = end + 1;
	return field;
}

static bool read_line(char **text, struct figure *f)
{
	char *number = take_field(text, '\t'), *end;
	char *name = number ? take_field(text, '\t') : NULL;
	char *file = name ? take_field(text, '\t') : NULL;
	char *object = file ? take_field(text, '\n') : NULL;
	if (!object || strchr(object, '\t') || *number < '0' || *number > '9')
		return false;
	errno = 0;
	*f = (struct figure){.name = name,
		.file = file,
		.object = object,
		.value = strtoull(number, &end, 10)};
	unshow(name);
	unshow(file);
	unshow(object);
	return !*end && !errno;
}

struct figures baseline_read(const char *path)
{
	struct input in;
	struct figures f = {.n = 0};
	size_t lines = 0;
	if (!input_open(&in, path))
		die("cannot open %s: %s; --update writes it", path, strerror(ENOENT));
	if (in.size < sizeof head - 1 || memcmp(in.data, head, sizeof head - 1))
		die("%s: not a baseline of ldxprof icount", path);
	if (in.size > INT_MAX || memchr(in.data, 0, in.size))
		die("%s: the baseline is damaged", path);
	char *text = new_string("%.*s", (int)in.size, (const char *)in.data);
	input_close(&in);
	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	f.v = NEW_ARRAY(struct figure, lines);
	text += sizeof head - 1;
	for (size_t number = 2; *text; number++)
		if (!read_line(&text, &f.v[f.n++]))
			die("%s:%zu: the baseline is damaged", path, number);
	figures_sort(&f);
	return f;
}
