/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - the text of source files; see text.h
 */
#include "report/common/text.h"

#include "base/base.h"
#include "report/common/util.h"

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

const char *text_find(const char *path, const struct text_folders *f)
{
	char *found;
	if (!access(path, R_OK))
		return path;
	for (size_t i = 0; i < f->n; i++)
		if (find_in_folder(f->v[i], path, &found))
			return found;
	return NULL;
}

struct text text_read(const char *path, const struct text_folders *f)
{
	struct input in;
	VEC(const char *) line = {NULL, 0, 0};
	const char *found = text_find(path, f);
	const char *why = found ? input_try(&in, found) : "it is not there; see --source-dir";
	if (why) {
		warn("no source text of %s: %s", path, why);
		return (struct text){.path = path};
	}
	close(in.fd);
	const char *p = (const char *)in.data, *end = p + in.size;
	for (; p < end; p++) {
		vec_push(&line, p);
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p : end;
	}
	vec_push(&line, p);
	return (struct text){path, line.v, line.n - 1};
}

const char *text_line(const struct text *t, size_t number)
{
	char *text, *to;
	if (!number || number > t->n)
		return "";
	const char *from = t->line[number - 1], *end = t->line[number];
	text = to = NEW_ARRAY(char, 8 * (size_t)(end - from) + 1);
	for (; from < end - 1; from++) {
		size_t blanks = *from == '\t' ? 8 - (size_t)(to - text) % 8 : 0;
		memset(to, ' ', blanks);
		to += blanks;
		if (!blanks && *from)
			*to++ = *from;
	}
	while (to > text && (to[-1] == ' ' || to[-1] == '\r'))
		*--to = '\0';
	return shown(text);
}
