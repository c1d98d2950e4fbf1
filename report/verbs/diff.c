/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - ldxprof diff: compare what two runs, or runs of two builds, executed
 */
#include "report/figures/figures.h"
#include "report/common/json.h"
#include "report/common/output.h"
#include "report/common/table.h"
#include "report/verbs/verbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct diff_options {
	bool all, by_line;
	int figure; /* enum figure_kind */
};
static const char *const figure_names[] = {[FIGURE_INSNS] = "instructions",
	[FIGURE_CALLS] = "calls",
	[FIGURE_BLOCKS] = "blocks",
	NULL};
static const struct option_row options[] = {
	{"lines", .help = "compare lines of the source instead of functions",
		OPTION_FLAG(struct diff_options, by_line)},
	{"figure", .value = "FIGURE", .help = "compare", OPTION_CHOICE(struct diff_options, figure),
		.choices = figure_names},
	{"all", .help = "include functions without a difference",
		OPTION_FLAG(struct diff_options, all)},
	{NULL},
};
static const char *const formats[] = {
	[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_TSV] = "tsv", NULL};
enum { BY_DIFFERENCE, BY_PERCENT, BY_OLD, BY_NEW, BY_NAME };
static const char *const sorts[] = {[BY_DIFFERENCE] = "difference",
	[BY_PERCENT] = "percent",
	[BY_OLD] = "old",
	[BY_NEW] = "new",
	[BY_NAME] = "name",
	NULL};

static double ratio(const struct change *c)
{
	return c->old ? (double)change_size(c) / (double)c->old : 1e30;
}

static int by_value(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

static int compare_changes(const void *a, const void *b, void *order)
{
	const struct change *x = a, *y = b;
	int d = 0;
	switch (*(int *)order) {
	case BY_DIFFERENCE: d = by_value(change_size(x), change_size(y)); break;
	case BY_PERCENT: d = (ratio(x) < ratio(y)) - (ratio(x) > ratio(y)); break;
	case BY_OLD: d = by_value(x->old, y->old); break;
	case BY_NEW: d = by_value(x->new, y->new); break;
	case BY_NAME: d = strcmp(x->of->name, y->of->name); break;
	}
	/* else in the order in which they were found */
	return d ? d : (x->rank > y->rank) - (x->rank < y->rank);
}

static void put_place(struct table *t, const struct figure *f)
{
	const char *file = last_part(*f->file ? f->file : f->input);
	if (!*file)
		table_cell(t, "-");
	else if (f->line)
		table_cell(t, "%s:%" PRIu32, shown(file), f->line);
	else
		table_cell(t, "%s", shown(file));
}

static void put_text(const struct changes *c, size_t n, const struct change *total,
	const struct diff_options *o, size_t width, FILE *out)
{
	const struct table_column columns[] = {{"old", COLUMN_NUMBER}, {"new", COLUMN_NUMBER},
		{"difference", COLUMN_NUMBER}, {"change", COLUMN_NUMBER},
		{o->by_line ? "line" : "file", COLUMN_TEXT}, {"function", COLUMN_NAME}};
	fprintf(out, "%" PRIu64 " %s, were %" PRIu64 ": %s", total->new,
		figure_names[o->by_line ? FIGURE_INSNS : o->figure], total->old,
		change_difference(total));
	fprintf(out, total->old && total->new && total->old != total->new ? ", %s\n\n" : "\n\n",
		change_percent(total));
	struct table *t = table_new(columns, 6, width);
	for (size_t i = 0; i < n; i++) {
		const struct change *x = &c->v[i];
		table_count(t, x->was, x->old);
		table_count(t, x->is, x->new);
		table_cell(t, "%s", change_difference(x));
		table_cell(t, "%s", change_percent(x));
		put_place(t, x->of);
		const char *object = x->of->object;
		table_name(t, shown(x->of->name),
			*object ? new_string(" (%s)", shown(object)) : "");
	}
	table_put(t, out);
	if (!c->n)
		fputs("no difference\n", out);
	if (n < c->n)
		fprintf(out, "\n%zu more: --top=0 shows all\n", c->n - n);
}

static void put_tsv(const struct changes *c, size_t n, FILE *out)
{
	fputs("old\tnew\tdifference\tchange\tfunction\tline\tfile\tobject\n", out);
	for (const struct change *x = c->v; x < c->v + n; x++) {
		fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t%s\t%s\t", x->old, x->new,
			change_difference(x), change_percent(x));
		put_shown(out, x->of->name);
		if (x->of->line)
			fprintf(out, "\t%" PRIu32 "\t", x->of->line);
		else
			fputs("\t\t", out);
		put_shown(out, x->of->file);
		fputc('\t', out);
		put_shown(out, x->of->object);
		fputc('\n', out);
	}
}

static const char *text_or_null(const char *s)
{
	return *s ? s : NULL;
}

static void put_json_row(const struct change *x, struct json *j)
{
	json_line(j, 1);
	json_object(j, NULL);
	json_known(j, "old", x->was, x->old);
	json_known(j, "new", x->is, x->new);
	json_print(j, "difference", "%s%" PRIu64, x->new < x->old ? "-" : "", change_size(x));
	json_text(j, "function", text_or_null(x->of->name));
	if (x->of->line)
		json_number(j, "line", x->of->line);
	json_text(j, "file", text_or_null(x->of->file));
	json_text(j, "object", text_or_null(x->of->object));
	json_end(j);
}

static void put_json_rows(const struct changes *c, size_t n, FILE *out)
{
	struct json j = json_to(out);
	json_array(&j, NULL);
	for (size_t i = 0; i < n; i++)
		put_json_row(&c->v[i], &j);
	json_line(&j, 0);
	json_end(&j);
	fputc('\n', out);
}

static int run_diff(const struct arguments *a)
{
	const struct diff_options *o = a->own;
	struct run run[2];
	struct figures f[2];
	struct view_options view = a->view;
	enum figure_kind kind = o->by_line ? FIGURE_LINES : (enum figure_kind)o->figure;
	arguments_need(a, &verb_diff, 2, 2, "which two runs?");
	if (o->by_line && o->figure != FIGURE_INSNS)
		die("--lines compares instructions");
	for (int i = 0; i < 2; i++) {
		run_open_side(&run[i], a->v[i]);
		if (o->by_line)
			run_flows(&run[i]);
		f[i] = figures_of(&run[i], kind, &view);
	}
	struct change total = {.old = figures_sum(&f[0]), .new = figures_sum(&f[1])};
	struct changes c = changes_find(&f[0], &f[1], o->all);
	bool same = true;
	for (size_t i = 0; i < c.n; i++)
		same &= c.v[i].old == c.v[i].new;
	int order = a->sort == SORT_UNSAID ? BY_DIFFERENCE : a->sort;
	qsort_r(c.v, c.n, sizeof *c.v, compare_changes, &order);
	view.format = (enum format)a->format;
	size_t n = view_rows(&view, c.n);
	struct output out = output_open(a->output);
	switch (view.format) {
	case FORMAT_JSON: put_json_rows(&c, n, out.f); break;
	case FORMAT_TSV: put_tsv(&c, n, out.f); break;
	default: put_text(&c, n, &total, o, view.width, out.f);
	}
	output_close(&out);
	return !same;
}

const struct verb verb_diff = {
	.name = "diff",
	.summary = "compare two runs, or runs of two builds, by function or line",
	.synopsis = "[options] OLD NEW",
	.about =
		"\nOLD and NEW are each PROG, for which its profile is read, a profile, or "
		"PROG,FILE... joined\nby commas.  Functions are matched by name, file and object.\n"
		"The exit status is 0 if all is equal, 1 if not, 2 after an error.\n",
	.shared = SHARE_OUTPUT | SHARE_NAMES | SHARE_TOP | SHARE_FILTER | SHARE_SEARCH,
	.formats = formats,
	.sorts = sorts,
	.options = options,
	.own_size = sizeof(struct diff_options),
	.error = 2,
	.run = run_diff,
};
