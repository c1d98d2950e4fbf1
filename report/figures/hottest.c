/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hottest.c - the hottest lines of the source, and its hottest functions with those inlined
 */
#include "report/figures/lines.h"
#include "report/common/json.h"
#include "report/common/table.h"
#include "report/figures/views.h"

#include <inttypes.h>
#include <stdlib.h>

struct hottest {
	const struct run *run;
	const struct view_options *opt;
	bool functions;
	lines l;
	uint64_t insns, copied;
};

static int compare_files(const char *x, const char *y)
{
	return x && y ? strcmp(x, y) : (x != NULL) - (y != NULL);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	if (x->insns != y->insns)
		return x->insns < y->insns ? 1 : -1;
	int d = compare_files(x->file, y->file);
	d = d ? d : (x->number > y->number) - (x->number < y->number);
	d = d ? d : strcmp(line_function(x), line_function(y));
	d = d ? d : (x->p > y->p) - (x->p < y->p);
	return d ? d : (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

static struct hottest find_hottest(const struct run *run, const struct view_options *opt,
	bool functions)
{
	struct hottest h = {.run = run, .opt = opt, .functions = functions};
	for (size_t i = 0; i < run->n; i++) {
		uint32_t mode = run->v[i].map.mode;
		if (mode != LDX_MODE_BLOCKS && mode != LDX_MODE_EDGES)
			die("%s: instructions are counted in modes blocks and edges, not in %s",
				run->v[i].path, mode_name(mode));
	}
	h.l = lines_find(run, &opt->filter, !opt->all);
	lines_fold(&h.l, functions);
	size_t n = h.l.n;
	h.l.n = 0;
	for (size_t i = 0; i < n; i++) {
		h.insns = add_sat(h.insns, h.l.v[i].insns);
		h.copied = add_sat(h.copied, h.l.v[i].copied);
		if (opt->all || h.l.v[i].insns)
			vec_push(&h.l, h.l.v[i]);
	}
	if (h.l.n)
		qsort(h.l.v, h.l.n, sizeof *h.l.v, compare_lines);
	return h;
}

static double share(const struct hottest *h, const struct line *l)
{
	return h->insns ? 100.0 * (double)l->insns / (double)h->insns : 0;
}

static const char *name_of(const struct hottest *h, const struct line *l)
{
	const char *name = line_function(l);
	return h->opt->mangled ? name : demangled(name);
}

/* The source file; if not known, the input of the linker; NULL: neither is known. */
static const char *file_of(const struct line *l)
{
	const char *origin = l->symbol ? func_origin(l->symbol) : "";
	return l->file ? l->file : *origin ? origin : NULL;
}

/* Code that the compiler attributes to no line has a question mark. */
static void text_place(const struct line *l, struct table *out)
{
	const char *file = file_of(l);
	if (l->file && l->number)
		table_cell(out, "%s:%" PRIu32, shown(last_part(file)), l->number);
	else
		table_cell(out, "%s%s", file ? shown(last_part(file)) : "-", l->file ? ":?" : "");
}

static void text_row(const struct hottest *h, const struct line *l, struct table *out)
{
	table_count(out, true, l->insns);
	table_cell(out, "%.2f%%", share(h, l));
	table_count(out, true, h->functions ? l->copied : l->count);
	text_place(l, out);
	table_name(out, shown(name_of(h, l)),
		l->p == h->run->v ? "" : new_string(" (%s)", shown(last_part(l->p->path))));
}

static void put_text(const struct hottest *h, size_t n, FILE *out)
{
	struct table_column columns[] = {{"instructions", COLUMN_NUMBER}, {"share", COLUMN_NUMBER},
		{h->functions ? "inlined" : "count", COLUMN_NUMBER}, {"line", COLUMN_TEXT},
		{"function", COLUMN_NAME}};
	fprintf(out, "%s: %" PRIu64 " instructions", shown(h->run->v[0].path), h->insns);
	if (h->functions)
		fprintf(out, ", %" PRIu64 " of them of functions inlined into others", h->copied);
	fputs("\n\n", out);
	struct table *table = table_new(columns, sizeof columns / sizeof *columns, h->opt->width);
	for (size_t i = 0; i < n; i++)
		text_row(h, &h->l.v[i], table);
	table_put(table, out);
	if (n < h->l.n)
		fprintf(out, "\n%zu more: --top=0 shows all\n", h->l.n - n);
}

static void tsv_row(const struct hottest *h, const struct line *l, FILE *out)
{
	fprintf(out, "%" PRIu64 "\t%.4f\t%" PRIu64 "\t", l->insns, share(h, l),
		h->functions ? l->copied : l->count);
	put_shown(out, file_of(l) ? file_of(l) : "");
	fputc('\t', out);
	if (l->number)
		fprintf(out, "%" PRIu32, l->number);
	fputc('\t', out);
	put_shown(out, name_of(h, l));
	fputc('\t', out);
	put_shown(out, l->p->path);
	fputc('\n', out);
}

static void put_json_row(const struct hottest *h, const struct line *l, struct json *j)
{
	json_line(j, 1);
	json_object(j, NULL);
	json_number(j, "instructions", l->insns);
	json_number(j, h->functions ? "inlined" : "count", h->functions ? l->copied : l->count);
	json_text(j, "file", file_of(l));
	json_known(j, "line", l->number, l->number);
	json_text(j, "function", name_of(h, l));
	json_text(j, "object", l->p->path);
	json_end(j);
}

static void put_json_rows(const struct hottest *h, size_t n, FILE *out)
{
	struct json j = json_to(out);
	json_array(&j, NULL);
	for (size_t i = 0; i < n; i++)
		put_json_row(h, &h->l.v[i], &j);
	json_line(&j, 0);
	json_end(&j);
	fputc('\n', out);
}

static void put_tsv(const struct hottest *h, size_t n, FILE *out)
{
	fprintf(out, "instructions\tshare\t%s\tfile\tline\tfunction\tobject\n",
		h->functions ? "inlined" : "count");
	for (size_t i = 0; i < n; i++)
		tsv_row(h, &h->l.v[i], out);
}

static void put_hottest(const struct hottest *h, FILE *out)
{
	size_t n = view_rows(h->opt, h->l.n);
	switch (h->opt->format) {
	case FORMAT_TSV: put_tsv(h, n, out); break;
	case FORMAT_JSON: put_json_rows(h, n, out); break;
	default: put_text(h, n, out);
	}
}

void view_lines(const struct run *run, const struct view_options *opt, FILE *out)
{
	struct hottest h = find_hottest(run, opt, false);
	put_hottest(&h, out);
}

void view_inlined(const struct run *run, const struct view_options *opt, FILE *out)
{
	struct hottest h = find_hottest(run, opt, true);
	put_hottest(&h, out);
}
