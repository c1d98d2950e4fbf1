/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - the text of source files; see text.h
 */
#include "report/text.h"

#include "base/base.h"
#include "report/util.h"

#include <unistd.h>

static bool find_in_folder(const char *folder, const char *path, char **found)
{
	for (; path; path = strchr(path, '/')) {
		path += *path == '/';
		*found = new_string("%s/%s", folder, path);
		if (!access(*found, R_OK))
			return true;
	}
	return false;
}

static const char *find_text(const char *path, const struct text_folders *f)
{
	char *found;
	if (!access(path, R_OK))
		return path;
	for (size_t i = 0; i < f->n; i++)
		if (find_in_folder(f->v[i], path, &found))
			return found;
	return NULL;
}

/* A line without its end, tabs as blanks. */
static char *make_line(const char *from, size_t n)
{
	size_t size, column = 0;
	char *text;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		die("out of memory");
	for (size_t i = 0; i < n; i++) {
		int width = from[i] == '\t' ? 8 - (int)(column % 8) : 1;
		fprintf(f, "%*c", width, from[i] == '\t' ? ' ' : from[i]);
		column += (size_t)width;
	}
	fclose(f);
	return text;
}

struct text text_read(const char *path, const struct text_folders *f)
{
	struct input in;
	VEC(char *) line = {NULL, 0, 0};
	const char *found = find_text(path, f);
	const char *why = found ? input_try(&in, found) : "it is not there; see --source-dir";
	if (why) {
		warn("no source text of %s: %s", path, why);
		return (struct text){NULL, 0};
	}
	const char *p = (const char *)in.data, *end = p + in.size;
	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((eol ? eol : end) - p);
		vec_push(&line, make_line(p, n));
		p += n + 1;
	}
	input_close(&in);
	return (struct text){line.v, line.n};
}
