/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gcovr.c - coverage as gcovr's tracefile, from which gcovr makes its other formats
 *
 * See gcovr's manual, "JSON Format Reference"; `gcovr -a FILE' reads it.
 */
#include "report/figures/coverage.h"

#include <inttypes.h>

/* *next: the file's first branch of this line or a later one. */
static void put_line(const struct cover_file *f, const struct cover_line *l, size_t *next,
	FILE *out)
{
	const char *comma = "";
	fprintf(out,
		"{\"line_number\":%" PRIu32 ",\"count\":%" PRIu64
		",\"gcovr/noncode\":false,\"gcovr/excluded\":false,\"branches\":[",
		l->number, l->count);
	while (*next < f->branch.n && f->branch.v[*next].line < l->number)
		++*next;
	for (; *next < f->branch.n && f->branch.v[*next].line == l->number; ++*next) {
		const struct cover_branch *b = &f->branch.v[*next];
		fprintf(out, "%s{\"count\":%" PRIu64 ",\"fallthrough\":%s,\"throw\":false}", comma,
			b->count, b->way ? "false" : "true");
		comma = ",";
	}
	fputs("]}", out);
}

static void put_funcs(const struct cover_file *f, bool mangled, FILE *out)
{
	const char *comma = "";
	for (size_t i = 0; i < f->func.n; i++) {
		const struct cover_func *g = &f->func.v[i];
		if (!cover_func_has_line(g))
			continue;
		fprintf(out, "%s\n    {\"name\":", comma);
		put_json(out, mangled ? g->name : demangled(g->name));
		fprintf(out,
			",\"lineno\":%" PRIu32 ",\"execution_count\":%" PRIu64
			",\"gcovr/excluded\":false}",
			g->line, g->known ? g->calls : 1);
		comma = ",";
	}
}

static void put_file(const struct cover_file *f, bool mangled, FILE *out)
{
	size_t branch = 0;
	fputs("\n  {\"file\":", out);
	put_json(out, f->path);
	fputs(",\"lines\":[", out);
	for (size_t i = 0; i < f->line.n; i++) {
		fputs(i ? ",\n    " : "\n    ", out);
		put_line(f, &f->line.v[i], &branch, out);
	}
	fputs("],\n   \"functions\":[", out);
	put_funcs(f, mangled, out);
	fputs("]}", out);
}

void coverage_gcovr(const struct coverage *c, bool mangled, FILE *out)
{
	const char *comma = "";
	fputs("{\"gcovr/format_version\":\"0.3\",\"files\":[", out);
	for (size_t i = 0; i < c->nfiles; i++) {
		if (!cover_file_has_lines(&c->file[i]))
			continue;
		fputs(comma, out);
		put_file(&c->file[i], mangled, out);
		comma = ",";
	}
	fputs("]}\n", out);
}
