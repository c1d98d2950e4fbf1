/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - the source files of a page: their text and its coverage; see page.h
 */
#include "report/html/page.h"

#include <inttypes.h>
#include <stdlib.h>

static int compare_lines(const void *a, const void *b)
{
	const struct page_line *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->func > y->func) - (x->func < y->func);
}

/* Joins entries of the same line, with the function that executed most of its instructions. */
static void join_lines(struct page *g)
{
	size_t n = 0;
	uint64_t most = 0;
	if (g->line.n)
		qsort(g->line.v, g->line.n, sizeof *g->line.v, compare_lines);
	for (size_t i = 0; i < g->line.n; i++) {
		const struct page_line *l = &g->line.v[i];
		struct page_line *to = n ? &g->line.v[n - 1] : NULL;
		if (!to || to->file != l->file || to->number != l->number) {
			g->line.v[n++] = *l;
			most = l->insns;
			continue;
		}
		to->func = l->insns > most ? l->func : to->func;
		most = l->insns > most ? l->insns : most;
		to->insns = add_sat(to->insns, l->insns);
	}
	g->line.n = n;
}

static void put_text(FILE *out, const struct text *t)
{
	size_t n = t->n ? (size_t)(t->line[t->n] - t->line[0]) : 0;
	char *text = new_array(n + 1, 1);
	for (size_t i = 0; i < n; i++)
		text[i] = t->line[0][i] ? t->line[0][i] : ' ';
	put_json(out, text);
	free(text);
}

/* Number, count. */
static void put_counts(FILE *out, const struct cover_file *c)
{
	const char *comma = "";
	for (size_t i = 0; c && i < c->line.n; i++)
		if (c->line.v[i].known) {
			fprintf(out, "%s%" PRIu32 ",", comma, c->line.v[i].number);
			pack_number(out, true, c->line.v[i].count);
			comma = ",";
		}
}

/* Line number, edges taken and edges of all its jumps. */
static void put_branches(FILE *out, const struct cover_file *c)
{
	const char *comma = "";
	for (size_t i = 0, n; c && i < c->branch.n; i += n, comma = ",") {
		const struct cover_branch *b = &c->branch.v[i];
		size_t hit = 0;
		for (n = 0; i + n < c->branch.n && b[n].line == b->line; n++)
			hit += b[n].count != 0;
		fprintf(out, "%s%" PRIu32 ",%zu,%zu", comma, b->line, hit, n);
	}
}

/* Number, instructions, a function. */
static void put_lines(FILE *out, const struct page_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s%" PRIu32 ",", i ? "," : "", l[i].number);
		pack_number(out, true, l[i].insns);
		fprintf(out, ",%" PRIu32, l[i].func);
	}
}

static void put_file(struct page *g, const struct page_file *f, const struct text *t,
	const struct page_line *l, size_t n)
{
	FILE *out = pack_item(&g->pack);
	fputs("{\"text\":", out);
	if (t->n)
		put_text(out, t);
	else
		fputs("null", out);
	fputs(",\"counts\":[", out);
	put_counts(out, f->cover);
	fputs("],\"branches\":[", out);
	put_branches(out, f->cover);
	fputs("],\"lines\":[", out);
	put_lines(out, l, n);
	fputs("]}", out);
}

void page_put_files(struct page *g)
{
	size_t from = 0, missing = 0;
	const char *example = NULL;
	join_lines(g);
	g->files_from = g->pack.chunks;
	for (uint32_t i = 0; i < g->file.n; i++) {
		const struct page_file *f = &g->file.v[i];
		struct text t = {.path = f->path};
		size_t n = 0;
		while (from + n < g->line.n && g->line.v[from + n].file == i)
			n++;
		bool has_lines = n || (f->cover && f->cover->line.n);
		if (has_lines && !g->opt->without_source) {
			bool there = text_find(f->path, &g->opt->folders);
			t = there ? text_read(f->path, &g->opt->folders) : t;
			example = there || missing++ ? example : f->path;
		}
		put_file(g, f, &t, &g->line.v[from], n);
		from += n;
	}
	pack_flush(&g->pack);
	if (missing)
		warn("no source text of %zu file%s, such as %s; see --source-dir", missing,
			missing == 1 ? "" : "s", example);
}
