/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage.c - ldxprof coverage: which lines, branches and functions were executed
 */
#include "report/figures/coverage.h"

#include "report/common/json.h"
#include "report/common/output.h"
#include "report/common/table.h"
#include "report/verbs/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { AS_TEXT, AS_TSV, AS_JSON, AS_LCOV, AS_COBERTURA, AS_GCOVR };
enum { SORT_MISSING, SORT_SHARE, SORT_BY_NAME };

/* A row of the table: a file, directory, object or member, and its sums. */
struct row {
	const char *name;
	struct cover_sum sum;
	const struct cover_file *file; /* its first file */
	size_t nfiles;
};

struct coverage_options {
	struct words excludes, prefixes;
	const char *root;
	double fail_under; /* < 0: it was not given */
	bool missing;
	int by; /* enum cover_by */
};

/* Rows ------------------------------------------------------------------ */

static const char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? new_string("%.*s", slash == path ? 1 : (int)(slash - path), path) : ".";
}

static const char *row_name(const struct cover_file *f, int by)
{
	switch (by) {
	case COVER_BY_FILE: return f->path;
	case COVER_BY_DIRECTORY: return folder_of(f->path);
	default: return *f->group ? f->group : "-";
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return strcmp(x->name, y->name);
}

/* The most lines that were not executed first. */
static int compare_missing(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	size_t m = x->sum.lines.found - x->sum.lines.hit, n = y->sum.lines.found - y->sum.lines.hit;
	if (m != n)
		return m < n ? 1 : -1;
	m = x->sum.funcs.found - x->sum.funcs.hit;
	n = y->sum.funcs.found - y->sum.funcs.hit;
	return m != n ? m < n ? 1 : -1 : compare_names(a, b);
}

/* The smallest share first: x/n < y/m without rounding. */
static int compare_shares(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint64_t m = mul_sat(x->sum.lines.hit, y->sum.lines.found);
	uint64_t n = mul_sat(y->sum.lines.hit, x->sum.lines.found);
	return m != n ? m < n ? -1 : 1 : compare_names(a, b);
}

static struct row *make_rows(const struct coverage *c, int by, int sort, size_t *n)
{
	static int (*const compare[])(const void *,
		const void *) = {[SORT_MISSING] = compare_missing,
		[SORT_SHARE] = compare_shares,
		[SORT_BY_NAME] = compare_names};
	struct row *v = NEW_ARRAY(struct row, c->nfiles);
	*n = 0;
	for (size_t i = 0; i < c->nfiles; i++)
		v[i] = (struct row){row_name(&c->file[i], by), c->file[i].sum, &c->file[i], 1};
	if (by == COVER_BY_DIRECTORY)
		qsort(v, c->nfiles, sizeof *v, compare_names);
	for (size_t i = 0; i < c->nfiles; i++) {
		if (!*n || strcmp(v[*n - 1].name, v[i].name)) {
			v[(*n)++] = v[i];
			continue;
		}
		v[*n - 1].nfiles++;
		cover_sum_add(&v[*n - 1].sum, &v[i].sum);
	}
	if (*n)
		qsort(v, *n, sizeof *v, compare[sort]);
	return v;
}

/* What is missing ------------------------------------------------------- */

/* Adjacent lines with code that were not executed. */
struct range {
	uint32_t first, last;
};

/* The next one from line *i of the file on; false: there is none. */
static bool next_range(const struct cover_file *f, size_t *i, struct range *r)
{
	while (*i < f->line.n && f->line.v[*i].count)
		++*i;
	if (*i == f->line.n)
		return false;
	r->first = f->line.v[*i].number;
	for (; *i < f->line.n && !f->line.v[*i].count; ++*i)
		r->last = f->line.v[*i].number;
	return true;
}

static bool is_missing(const struct cover_func *f)
{
	return f->known && !f->run;
}

static const char *name_of(const struct cover_func *f, const struct view_options *opt)
{
	return opt->mangled ? f->name : demangled(f->name);
}

static void put_missing_text(const struct cover_file *f, const struct view_options *opt, FILE *out)
{
	struct range r;
	size_t i = 0, n = 0;
	if (f->sum.lines.found == f->sum.lines.hit && f->sum.funcs.found == f->sum.funcs.hit)
		return;
	fprintf(out, "\n%s%s%s\n", shown(f->group), *f->group ? ": " : "", shown(f->path));
	for (size_t k = 0; k < f->func.n; k++) {
		if (!is_missing(&f->func.v[k]))
			continue;
		fprintf(out, "  function %s", shown(name_of(&f->func.v[k], opt)));
		if (f->func.v[k].line)
			fprintf(out, ", line %" PRIu32, f->func.v[k].line);
		fputc('\n', out);
	}
	for (; next_range(f, &i, &r); n++) {
		fputs(!n ? "  lines " : n % 10 ? ", " : ",\n        ", out);
		fprintf(out, "%" PRIu32, r.first);
		if (r.last != r.first)
			fprintf(out, "-%" PRIu32, r.last);
	}
	if (n)
		fputc('\n', out);
}

static void put_missing_tsv(const struct cover_file *f, const struct view_options *opt, FILE *out)
{
	struct range r;
	const char *path = shown(f->path), *group = shown(f->group);
	for (size_t k = 0; k < f->func.n; k++)
		if (is_missing(&f->func.v[k]))
			fprintf(out, "function\t%" PRIu32 "\t\t%s\t%s\t%s\n", f->func.v[k].line,
				shown(name_of(&f->func.v[k], opt)), path, group);
	for (size_t i = 0; next_range(f, &i, &r);)
		fprintf(out, "lines\t%" PRIu32 "\t%" PRIu32 "\t\t%s\t%s\n", r.first, r.last, path,
			group);
}

static void put_missing_json(const struct cover_file *f, const struct view_options *opt,
	struct json *j)
{
	struct range r;
	json_line(j, 4);
	json_object(j, NULL);
	json_text(j, "file", f->path);
	json_array(j, "functions");
	for (size_t k = 0; k < f->func.n; k++) {
		if (!is_missing(&f->func.v[k]))
			continue;
		json_object(j, NULL);
		json_text(j, "name", name_of(&f->func.v[k], opt));
		json_number(j, "line", f->func.v[k].line);
		json_end(j);
	}
	json_end(j);
	json_array(j, "lines");
	for (size_t i = 0; next_range(f, &i, &r);)
		json_print(j, NULL, "[%" PRIu32 ",%" PRIu32 "]", r.first, r.last);
	json_end(j);
	json_end(j);
}

/* Output ---------------------------------------------------------------- */

static const char *by_name(int by)
{
	static const char *const names[] = {"file", "directory", "object", "member"};
	return names[by];
}

static void text_part(struct table *t, bool known, struct cover_part p)
{
	unsigned share = cover_permille(p);
	if (known && p.found)
		table_cell(t, "%u.%u%%", share / 10, share % 10);
	else
		table_cell(t, "-");
	if (known)
		table_cell(t, "%zu/%zu", p.hit, p.found);
	else
		table_cell(t, "-");
}

static void put_total(const char *what, struct cover_part p, FILE *out)
{
	unsigned share = cover_permille(p);
	if (p.found)
		fprintf(out, "%s: %zu of %zu executed (%u.%u%%)\n", what, p.hit, p.found,
			share / 10, share % 10);
}

/* Mode blocks with --ldx-placement=every has no edges. */
static void put_without_edges(const struct run *run, FILE *out)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct static_map *m = &run->v[i].map;
		if (m->mode == LDX_MODE_BLOCKS && m->nblocks && !m->nedges)
			fprintf(out,
				"the branches of %s are counted when it is linked with "
				"--instrument=edges\n",
				shown(last_part(run->v[i].path)));
	}
}

static void put_title(const struct run *run, const struct coverage *c, FILE *out)
{
	const struct program *p = &run->v[0];
	fprintf(out, "%s: %" PRIu64 " process%s\n", shown(p->path), p->profile.runs,
		p->profile.runs == 1 ? "" : "es");
	put_total("lines", c->sum.lines, out);
	put_total("branches", c->sum.branches, out);
	put_total("functions", c->sum.funcs, out);
	put_without_edges(run, out);
	if (c->opaque)
		fprintf(out, "the lines of %zu opaque function%s are not known\n", c->opaque,
			c->opaque == 1 ? "" : "s");
	if (c->no_source)
		fprintf(out, "%zu function%s no debug information\n", c->no_source,
			c->no_source == 1 ? " has" : "s have");
}

static void put_table(const struct coverage *c, const struct row *v, size_t n,
	const struct arguments *a, FILE *out)
{
	const struct coverage_options *o = a->own;
	const struct table_column columns[] = {{"lines", COLUMN_NUMBER}, {"", COLUMN_NUMBER},
		{"branches", COLUMN_NUMBER}, {"", COLUMN_NUMBER}, {"functions", COLUMN_NUMBER},
		{"", COLUMN_NUMBER}, {by_name(o->by), COLUMN_TEXT}};
	struct table *t = table_new(columns, sizeof columns / sizeof *columns, 0);
	size_t rows = view_rows(&a->view, n);
	for (size_t i = 0; i < rows; i++) {
		text_part(t, c->lines, v[i].sum.lines);
		text_part(t, c->branches, v[i].sum.branches);
		text_part(t, true, v[i].sum.funcs);
		const char *name = v[i].name;
		table_cell(t, "%s",
			!*name ? "-" : shown(o->by == COVER_BY_MEMBER ? last_part(name) : name));
	}
	fputc('\n', out);
	table_put(t, out);
	if (rows < n)
		fprintf(out, "\n%zu more: --top=0 shows all\n", n - rows);
}

static void put_text(const struct run *run, const struct coverage *c, const struct row *v, size_t n,
	const struct arguments *a, FILE *out)
{
	const struct coverage_options *o = a->own;
	put_title(run, c, out);
	if (!o->missing) {
		put_table(c, v, n, a, out);
		return;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < v[i].nfiles; k++)
			put_missing_text(&v[i].file[k], &a->view, out);
}

static void put_tsv(const struct row *v, size_t n, const struct arguments *a, FILE *out)
{
	const struct coverage_options *o = a->own;
	size_t rows = o->missing ? n : view_rows(&a->view, n);
	if (o->missing)
		fputs("what\tfirst\tlast\tname\tfile\tgroup\n", out);
	else
		fprintf(out,
			"lines_hit\tlines\tbranches_hit\tbranches\tfunctions_hit\tfunctions\t%s\n",
			by_name(o->by));
	for (size_t i = 0; i < rows; i++) {
		const struct cover_sum *s = &v[i].sum;
		for (size_t k = 0; o->missing && k < v[i].nfiles; k++)
			put_missing_tsv(&v[i].file[k], &a->view, out);
		if (!o->missing)
			fprintf(out, "%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%s\n", s->lines.hit,
				s->lines.found, s->branches.hit, s->branches.found, s->funcs.hit,
				s->funcs.found, shown(v[i].name));
	}
}

static void put_part(const char *name, struct cover_part p, struct json *j)
{
	json_object(j, name);
	json_number(j, "found", p.found);
	json_number(j, "hit", p.hit);
	json_end(j);
}

static void put_sum(const struct cover_sum *s, struct json *j)
{
	put_part("lines", s->lines, j);
	put_part("branches", s->branches, j);
	put_part("functions", s->funcs, j);
}

static void put_json_row(const struct row *r, const struct arguments *a, struct json *j)
{
	const struct coverage_options *o = a->own;
	json_line(j, 2);
	json_object(j, NULL);
	json_text(j, by_name(o->by), r->name);
	put_sum(&r->sum, j);
	if (o->missing) {
		json_array(j, "missing");
		for (size_t k = 0; k < r->nfiles; k++)
			put_missing_json(&r->file[k], &a->view, j);
		json_end(j);
	}
	json_end(j);
}

static void put_all_json(const struct run *run, const struct coverage *c, const struct row *v,
	size_t n, const struct arguments *a, FILE *out)
{
	size_t rows = view_rows(&a->view, n);
	struct json j = json_to(out);
	json_object(&j, NULL);
	json_number(&j, "version", 1);
	json_text(&j, "program", run->v[0].path);
	put_sum(&c->sum, &j);
	json_line(&j, 1);
	json_array(&j, "rows");
	for (size_t i = 0; i < rows; i++)
		put_json_row(&v[i], a, &j);
	json_end(&j);
	json_end(&j);
	fputc('\n', out);
}

/* The verb -------------------------------------------------------------- */

/* root: of sources, as an absolute path; or NULL */
static void write_it(const struct run *run, const struct coverage *c, const struct arguments *a,
	const char *root, FILE *out)
{
	const struct coverage_options *o = a->own;
	size_t n = 0;
	struct row *v = make_rows(c, o->by, a->sort == SORT_UNSAID ? SORT_MISSING : a->sort, &n);
	switch (a->format) {
	case AS_LCOV: coverage_lcov(c, a->view.mangled, out); break;
	case AS_COBERTURA: coverage_cobertura(c, root, a->view.mangled, out); break;
	case AS_GCOVR: coverage_gcovr(c, a->view.mangled, out); break;
	case AS_JSON: put_all_json(run, c, v, n, a, out); break;
	case AS_TSV: put_tsv(v, n, a, out); break;
	default: put_text(run, c, v, n, a, out);
	}
	free(v);
}

static void check_options(const struct arguments *a)
{
	const struct coverage_options *o = a->own;
	for (size_t i = 0; i < o->prefixes.n; i++)
		if (!strchr(o->prefixes.v[i], '='))
			die("--prefix-map=%s: it is OLD=NEW", o->prefixes.v[i]);
	if (a->format >= AS_LCOV && (o->by != COVER_BY_FILE || o->missing))
		die("--by and --missing go with the formats text, tsv and json");
}

static char *full_path(const char *root)
{
	char *full = root ? realpath(root, NULL) : NULL;
	if (root && !full)
		die("--source-root=%s: %s", root, strerror(errno));
	return full;
}

/* The exit status. */
static int judge(const struct coverage *c, double fail_under)
{
	if (fail_under < 0)
		return 0;
	if (!c->lines)
		die("--fail-under: no line has a count: there is no debug information, or the mode is "
		    "functions");
	unsigned share = cover_permille(c->sum.lines);
	if (100 * (double)c->sum.lines.hit >= fail_under * (double)c->sum.lines.found)
		return 0;
	fprintf(stderr, "ldxprof: %zu of %zu lines were executed: %u.%u%%, less than %g%%\n",
		c->sum.lines.hit, c->sum.lines.found, share / 10, share % 10, fail_under);
	return 1;
}

static int run_coverage(const struct arguments *a)
{
	const struct coverage_options *o = a->own;
	struct run r;
	check_options(a);
	char *root = full_path(o->root);
	arguments_run(&r, a, &verb_coverage);
	struct filter exclude = filter_make(o->excludes.v, o->excludes.n);
	struct cover_options opt = {&a->view.filter, &exclude, (enum cover_by)o->by, o->prefixes.v,
		o->prefixes.n, root};
	struct coverage c = coverage_make(&r, &opt);
	struct output out = output_open(a->output);
	write_it(&r, &c, a, root, out.f);
	output_close(&out);
	free(root);
	return judge(&c, o->fail_under);
}

static const char *const formats[] = {"text", "tsv", "json", "lcov", "cobertura", "gcovr", NULL};
static const char *const sorts[] = {"missing", "coverage", "name", NULL};
static const char *const groups[] = {"file", "directory", "object", "member", NULL};

static const struct option_row options[] = {
	{"by", .value = "WHAT", .help = "one row for each",
		OPTION_CHOICE(struct coverage_options, by), .choices = groups},
	{"missing", .help = "list functions and lines that were not executed",
		OPTION_FLAG(struct coverage_options, missing)},
	{"exclude", .value = "GLOB", .help = "leave out what matches, as --filter does",
		OPTION_WORDS(struct coverage_options, excludes)},
	{"prefix-map", .value = "OLD=NEW",
		.help = "replace OLD at the start of source paths by NEW",
		OPTION_WORDS(struct coverage_options, prefixes)},
	{"source-root", .value = "DIR", .help = "show paths of sources in DIR relative to it",
		OPTION_TEXT(struct coverage_options, root)},
	{"fail-under", .value = "PERCENT",
		.help = "exit with status 1 if less than this part of the lines was executed",
		OPTION_PERCENT(struct coverage_options, fail_under)},
	{NULL},
};

const struct verb verb_coverage = {
	.name = "coverage",
	.summary = "show which lines, branches and functions were executed",
	.synopsis = "[options] PROG [FILE...]",
	.shared = SHARE_OUTPUT | SHARE_NAMES | SHARE_TOP | SHARE_FILTER | SHARE_RUN,
	.formats = formats,
	.sorts = sorts,
	.options = options,
	.own_size = sizeof(struct coverage_options),
	.own_start = &(const struct coverage_options){.fail_under = -1},
	.error = 2,
	.run = run_coverage,
};
