/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gcovr.c - coverage as gcovr's tracefile, from which gcovr makes its other formats
 *
 * See gcovr's manual, "JSON Format Reference"; `gcovr -a FILE' reads it.
 */
#include "report/common/json.h"
#include "report/figures/coverage.h"

/* *next: the file's first branch of this line or a later one. */
static void put_line(const struct cover_file *f, const struct cover_line *l, size_t *next,
	struct json *j)
{
	json_object(j, NULL);
	json_number(j, "line_number", l->number);
	json_number(j, "count", l->count);
	json_bool(j, "gcovr/noncode", false);
	json_bool(j, "gcovr/excluded", false);
	json_array(j, "branches");
	while (*next < f->branch.n && f->branch.v[*next].line < l->number)
		++*next;
	for (; *next < f->branch.n && f->branch.v[*next].line == l->number; ++*next) {
		const struct cover_branch *b = &f->branch.v[*next];
		json_object(j, NULL);
		json_number(j, "count", b->count);
		json_bool(j, "fallthrough", !b->way);
		json_bool(j, "throw", false);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static void put_func(const struct cover_func *g, bool mangled, struct json *j)
{
	json_line(j, 4);
	json_object(j, NULL);
	json_text(j, "name", mangled ? g->name : demangled(g->name));
	json_number(j, "lineno", g->line);
	json_number(j, "execution_count", g->known ? g->calls : 1);
	json_bool(j, "gcovr/excluded", false);
	json_end(j);
}

static void put_file(const struct cover_file *f, bool mangled, struct json *j)
{
	size_t branch = 0;
	json_line(j, 2);
	json_object(j, NULL);
	json_text(j, "file", f->path);
	json_array(j, "lines");
	for (size_t i = 0; i < f->line.n; i++) {
		json_line(j, 4);
		put_line(f, &f->line.v[i], &branch, j);
	}
	json_end(j);
	json_line(j, 3);
	json_array(j, "functions");
	for (size_t i = 0; i < f->func.n; i++)
		if (cover_func_has_line(&f->func.v[i]))
			put_func(&f->func.v[i], mangled, j);
	json_end(j);
	json_end(j);
}

void coverage_gcovr(const struct coverage *c, bool mangled, FILE *out)
{
	struct json j = json_to(out);
	json_object(&j, NULL);
	json_text(&j, "gcovr/format_version", "0.3");
	json_array(&j, "files");
	for (size_t i = 0; i < c->nfiles; i++)
		if (cover_file_has_lines(&c->file[i]))
			put_file(&c->file[i], mangled, &j);
	json_end(&j);
	json_end(&j);
	fputc('\n', out);
}
