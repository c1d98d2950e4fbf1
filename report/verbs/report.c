/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - ldxprof report: the hottest functions and the hottest blocks
 */
#include "report/read/needed.h"
#include "report/common/json.h"
#include "report/common/output.h"
#include "report/figures/source.h"
#include "report/common/table.h"
#include "report/verbs/verbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One line of a report: a function, or one of its blocks. */
struct report_row {
	const struct program *p;
	const struct map_func *f;
	const struct map_block *b; /* NULL: the function */
	struct func_sum sum;
	uint64_t count, insns; /* of the block */
	const char *name;
	const char *file; /* of the source; "": not known */
	uint32_t line;	  /* 0: not known */
};

struct rows {
	const struct run *run;
	struct source **source; /* by object; NULL: not opened yet */
	struct report_row *v;
	size_t n;
	bool blocks_shown;	/* its rows are blocks */
	bool marks;		/* blocks have marks: executed or not */
	uint64_t insns;		/* executed in all */
	uint64_t *object_insns; /* of that, by object */
	size_t funcs, funcs_run, opaque, blocks, blocks_run;
};

static int by_number(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

/* A stable order for rows with equal keys. */
static int by_place(const struct report_row *x, const struct report_row *y)
{
	uint64_t ax = x->b ? x->b->address : x->f->address;
	uint64_t ay = y->b ? y->b->address : y->f->address;
	int d = (x->p > y->p) - (x->p < y->p);
	d = d ? d : (ax > ay) - (ax < ay);
	d = d ? d : strcmp(x->f->name, y->f->name);
	return d ? d : (x->f > y->f) - (x->f < y->f);
}

static uint64_t row_insns(const struct report_row *r)
{
	return r->b ? r->insns : r->sum.insns;
}

static uint64_t row_calls(const struct report_row *r)
{
	return r->b ? r->count : r->sum.calls;
}

static int cmp_insns(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;
	int d = by_number(row_insns(x), row_insns(y));
	d = d ? d : by_number(row_calls(x), row_calls(y));
	return d ? d : by_place(x, y);
}

static int cmp_calls(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;
	int d = by_number(row_calls(x), row_calls(y));
	d = d ? d : by_number(row_insns(x), row_insns(y));
	return d ? d : by_place(x, y);
}

/* Least covered first: x/n < y/m without rounding. */
static int cmp_coverage(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;
	int d = by_number(mul_sat(y->sum.covered, x->sum.counted),
		mul_sat(x->sum.covered, y->sum.counted));
	return d ? d : by_place(x, y);
}

static int cmp_name(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;
	int d = strcmp(x->name, y->name);
	return d ? d : by_place(x, y);
}

static int cmp_address(const void *a, const void *b)
{
	return by_place(a, b);
}

static void rows_sort(struct rows *t, const struct view_options *opt, bool blocks)
{
	int (*cmp)(const void *, const void *) = blocks ? cmp_calls : cmp_insns;
	if (t->marks)
		cmp = blocks ? cmp_address : cmp_coverage;
	switch (opt->sort) {
	case SORT_INSNS: cmp = cmp_insns; break;
	case SORT_CALLS:
	case SORT_COUNT: cmp = cmp_calls; break;
	case SORT_COVERAGE: cmp = blocks ? cmp : cmp_coverage; break;
	case SORT_NAME: cmp = cmp_name; break;
	case SORT_ADDRESS: cmp = cmp_address; break;
	default: break;
	}
	qsort(t->v, t->n, sizeof *t->v, cmp);
}

static void add_blocks(struct rows *t, const struct report_row *func, bool all)
{
	const struct map_func *f = func->f;
	for (size_t i = f->block; i < f->block + f->nblocks; i++) {
		struct report_row r = *func;
		r.b = &r.p->map.block[i];
		bool known = block_count(r.p, r.b, &r.count);
		r.insns = mul_sat(r.count, r.b->insns);
		if (known && (all || !r.count == t->marks))
			t->v[t->n++] = r;
	}
}

static size_t frames_at(struct rows *t, const struct program *p, uint64_t address,
	const struct source_frame **v)
{
	struct source **s = &t->source[p - t->run->v];
	if (!*s)
		*s = source_open(p);
	return source_frames(*s, address, v);
}

/* Where a function is declared, or the line at which a block begins, if known. */
static void find_place(struct rows *t, struct report_row *r)
{
	const struct source_frame *v = NULL;
	size_t n = r->b && !map_is_placed(r->b)
		? 0
		: frames_at(t, r->p, r->b ? r->b->address : r->f->address, &v);
	const struct source_func *f = n && !r->b ? v[n - 1].func : NULL;
	r->file = func_origin(r->f);
	r->line = 0;
	if (f && f->file) {
		r->file = f->file;
		r->line = f->line;
	} else if (n && v->file) {
		r->file = v->file;
		r->line = v->line;
	}
}

static bool is_taken(struct rows *t, const struct view_options *opt, const struct program *p,
	const struct map_func *f)
{
	struct report_row r = {.p = p, .f = f};
	if (opt->filter.n)
		find_place(t, &r);
	return filter_takes(&opt->filter, p, f, r.line ? r.file : NULL);
}

/* The rows of one object; how many instructions were executed in it. */
static uint64_t add_object(struct rows *t, const struct program *p, const struct view_options *opt,
	bool blocks)
{
	uint64_t insns = 0;
	for (size_t i = 0; i < p->map.nfuncs; i++) {
		const struct map_func *f = &p->map.func[i];
		if (!func_linked(p, f) || !is_taken(t, opt, p, f))
			continue;
		struct report_row r = {.p = p, .f = f, .sum = func_sum(p, f)};
		insns = add_sat(insns, r.sum.insns);
		t->funcs++;
		t->funcs_run += r.sum.run;
		t->opaque += (f->flags & LDX_FUNC_OPAQUE) != 0;
		t->blocks += r.sum.counted;
		t->blocks_run += r.sum.covered;
		if (!r.sum.run && !opt->all)
			continue;
		r.name = opt->mangled ? f->name : demangled(f->name);
		if (blocks)
			add_blocks(t, &r, opt->all);
		else
			t->v[t->n++] = r;
	}
	return insns;
}

static struct rows rows_make(const struct run *run, const struct view_options *opt, bool blocks)
{
	struct rows t = {.run = run,
		.source = NEW_ARRAY(struct source *, run->n),
		.object_insns = NEW_ARRAY(uint64_t, run->n),
		.blocks_shown = blocks,
		.marks = map_has_marks(&run->v[0].map)};
	size_t n = 0;
	for (size_t i = 0; i < run->n; i++)
		n += blocks ? run->v[i].map.nblocks : run->v[i].map.nfuncs;
	t.v = NEW_ARRAY(struct report_row, n);
	for (size_t i = 0; i < run->n; i++) {
		t.object_insns[i] = add_object(&t, &run->v[i], opt, blocks);
		t.insns = add_sat(t.insns, t.object_insns[i]);
	}
	rows_sort(&t, opt, blocks);
	return t;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Does each block have its own counter or mark?  True if there are no blocks. */
static bool has_all(const struct program *p)
{
	for (size_t i = 0; i < p->map.nfuncs; i++) {
		const struct map_func *f = &p->map.func[i];
		program_flow(p, f);
		for (size_t b = f->block; b < f->block + f->nblocks; b++)
			if (!(p->map.block[b].flags & LDX_BLOCK_COUNTED))
				return false;
	}
	return true;
}

/* How processes that did not leave main affect the counts. */
static void put_unfinished(const struct program *p, FILE *out)
{
	uint64_t n = p->profile.unfinished;
	if (!n)
		return;
	fprintf(out,
		"\n%" PRIu64 " process%s ended without leaving main, by a signal, execve or _exit",
		n, n == 1 ? "" : "es");
	if (has_all(p))
		return;
	fputs(map_has_marks(&p->map)
			? ": if by a signal, the last blocks executed may be missing"
			: ": if by a signal, blocks behind calls that had not returned may count one too many",
		out);
}

/* Counts in registers that processes did not add to memory, because they were killed or run. */
static void put_stayed(const struct run *run, FILE *out)
{
	uint64_t n = 0;
	for (size_t i = 0; i < run->n; i++)
		n = add_sat(n, run->v[i].counts.stayed);
	if (n)
		fprintf(out,
			"\n%" PRIu64
			" call%s not returned: the last iterations of %s may be missing",
			n, n == 1 ? " has" : "s have", n == 1 ? "its loop" : "their loops");
}

static void put_uncounted(const struct run *run, FILE *out)
{
	struct needed n = needed_uncounted(run);
	for (size_t i = 0; i < n.n; i++)
		fprintf(out, "%s%s", i ? ", " : "\nnot counted: ", shown(n.v[i]));
}

static void put_title(const struct run *run, const struct rows *t, FILE *out)
{
	const struct program *p = &run->v[0];
	struct lost lost = run_lost(run);
	fprintf(out, "%s: %" PRIu64 " process%s", shown(p->path), p->profile.runs,
		p->profile.runs == 1 ? "" : "es");
	if (lost.processes)
		fprintf(out, " (and %" PRIu64 " forked ones whose counts are lost)",
			lost.processes);
	if (lost.threads)
		fprintf(out, " (but for %" PRIu64 " threads whose counts are lost)", lost.threads);
	if (t->blocks && !t->marks)
		fprintf(out, ", %" PRIu64 " instructions in instrumented code", t->insns);
	fprintf(out, "\n%zu of %zu functions", t->funcs_run, t->funcs);
	if (t->blocks)
		fprintf(out, " and %zu of %zu blocks", t->blocks_run, t->blocks);
	if (t->blocks && t->marks)
		fprintf(out, " (%.2f%%)", percent(t->blocks_run, t->blocks));
	fputs(" executed", out);
	if (t->opaque)
		fprintf(out, "; of %zu opaque function%s at most the calls are counted", t->opaque,
			t->opaque == 1 ? "" : "s");
	put_uncounted(run, out);
	put_unfinished(p, out);
	put_stayed(run, out);
	fputs("\n\n", out);
}

static double share(const struct rows *t, uint64_t insns)
{
	return percent(insns, t->insns);
}

static void text_share(struct table *out, bool known, double part)
{
	if (known)
		table_cell(out, "%.2f%%", part);
	else
		table_cell(out, "-");
}

static void put_objects(const struct run *run, const struct rows *t, FILE *out)
{
	if (run->n == 1 || t->marks)
		return;
	static const struct table_column columns[] = {{"instructions", COLUMN_NUMBER},
		{"share", COLUMN_NUMBER}, {"object", COLUMN_TEXT}};
	struct table *table = table_new(columns, 3, 0);
	for (size_t i = 0; i < run->n; i++) {
		table_count(table, true, t->object_insns[i]);
		text_share(table, true, share(t, t->object_insns[i]));
		table_cell(table, "%s", shown(run->v[i].path));
	}
	table_put(table, out);
	fputc('\n', out);
}

static void text_place(struct table *out, const struct report_row *r)
{
	const char *file = shown(last_part(r->file));
	if (r->line)
		table_cell(out, "%s:%" PRIu32, file, r->line);
	else
		table_cell(out, "%s", *file ? file : "-");
}

/* The text behind a name: a block's offset, the object unless it is the program, a reason. */
static void text_name(struct table *out, const struct run *run, const struct report_row *r)
{
	const char *offset = r->b ? new_string("+0x%" PRIx64, r->b->offset) : "";
	const char *owner = r->p == run->v ? "" : new_string(" (%s)", shown(last_part(r->p->path)));
	const char *reason = !r->b && r->f->flags & LDX_FUNC_OPAQUE
		? new_string(" [%s]", shown(r->f->reason))
		: "";
	table_name(out, shown(r->name), new_string("%s%s%s", offset, owner, reason));
}

static const struct table_column function_columns[] = {{"calls", COLUMN_NUMBER},
	{"instructions", COLUMN_NUMBER}, {"share", COLUMN_NUMBER}, {"blocks", COLUMN_NUMBER},
	{"line", COLUMN_TEXT}, {"function", COLUMN_NAME}};
static const struct table_column marked_function_columns[] = {{"blocks", COLUMN_NUMBER},
	{"part", COLUMN_NUMBER}, {"line", COLUMN_TEXT}, {"function", COLUMN_NAME}};

static void text_function(const struct run *run, const struct rows *t, const struct report_row *r,
	struct table *out)
{
	if (!t->marks) {
		table_count(out, r->sum.calls_known, r->sum.calls);
		table_count(out, r->sum.insns_known, r->sum.insns);
		text_share(out, r->sum.insns_known, share(t, r->sum.insns));
	}
	if (r->sum.counted)
		table_cell(out, "%zu/%zu", r->sum.covered, r->sum.counted);
	else
		table_cell(out, "-");
	if (t->marks && r->sum.counted)
		text_share(out, true, percent(r->sum.covered, r->sum.counted));
	else if (t->marks)
		table_cell(out, "%s", r->sum.run ? "yes" : "no");
	text_place(out, r);
	text_name(out, run, r);
}

static const struct table_column block_columns[] = {{"count", COLUMN_NUMBER},
	{"instructions", COLUMN_NUMBER}, {"share", COLUMN_NUMBER}, {"insns", COLUMN_NUMBER},
	{"address", COLUMN_NUMBER}, {"line", COLUMN_TEXT}, {"block", COLUMN_NAME}};
static const struct table_column marked_block_columns[] = {{"executed", COLUMN_NUMBER},
	{"insns", COLUMN_NUMBER}, {"address", COLUMN_NUMBER}, {"line", COLUMN_TEXT},
	{"block", COLUMN_NAME}};

static void text_block(const struct run *run, const struct rows *t, const struct report_row *r,
	struct table *out)
{
	if (t->marks) {
		table_cell(out, "%s", r->count ? "yes" : "no");
	} else {
		table_count(out, true, r->count);
		table_count(out, true, r->insns);
		text_share(out, true, share(t, r->insns));
	}
	table_count(out, true, r->b->insns);
	if (map_is_placed(r->b))
		table_cell(out, "%" PRIx64, r->b->address);
	else
		table_cell(out, "-");
	text_place(out, r);
	text_name(out, run, r);
}

#define COLUMNS(list) table_new(list, sizeof(list) / sizeof *(list), width)
static struct table *text_table(const struct rows *t, size_t width)
{
	if (t->marks)
		return t->blocks_shown ? COLUMNS(marked_block_columns)
				       : COLUMNS(marked_function_columns);
	return t->blocks_shown ? COLUMNS(block_columns) : COLUMNS(function_columns);
}

static void put_text(const struct run *run, const struct rows *t, const struct view_options *opt,
	size_t n, FILE *out)
{
	put_title(run, t, out);
	put_objects(run, t, out);
	struct table *table = text_table(t, opt->width);
	for (size_t i = 0; i < n; i++)
		(t->blocks_shown ? text_block : text_function)(run, t, &t->v[i], table);
	table_put(table, out);
	if (n < t->n)
		fprintf(out, "\n%zu more: --top=0 shows all\n", t->n - n);
}

static void tsv_row(const struct rows *t, const struct report_row *r, FILE *out)
{
	if (r->b) {
		if (map_has_marks(&r->p->map))
			fprintf(out, "%s\t\t", r->count ? "yes" : "no");
		else
			fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t%.4f", r->count, r->insns,
				share(t, r->insns));
		fprintf(out, "\t%" PRIu64 "\t", r->b->insns);
		if (map_is_placed(r->b))
			fprintf(out, "%" PRIx64, r->b->address);
		fputc('\t', out);
		put_shown(out, r->name);
		fprintf(out, "+0x%" PRIx64 "\t", r->b->offset);
	} else {
		if (r->sum.calls_known)
			fprintf(out, "%" PRIu64, r->sum.calls);
		fputc('\t', out);
		if (r->sum.insns_known)
			fprintf(out, "%" PRIu64 "\t%.4f", r->sum.insns, share(t, r->sum.insns));
		else
			fputc('\t', out);
		fprintf(out, "\t%zu\t%zu\t%" PRIx64 "\t", r->sum.covered, r->sum.counted,
			r->f->address);
		put_shown(out, r->name);
		fputc('\t', out);
	}
	put_shown(out, r->file);
	fputc('\t', out);
	if (r->line)
		fprintf(out, "%" PRIu32, r->line);
	fputc('\t', out);
	put_shown(out, r->p->path);
	fputc('\n', out);
}

static void put_json_row(const struct report_row *r, struct json *j)
{
	json_line(j, 1);
	json_object(j, NULL);
	if (r->b) {
		bool marks = map_has_marks(&r->p->map);
		json_bool(j, "executed", r->count);
		json_known(j, "count", !marks, r->count);
		json_known(j, "instructions", !marks, r->insns);
		json_number(j, "length", r->b->length);
		json_known(j, "address", map_is_placed(r->b), r->b->address);
		json_number(j, "offset", r->b->offset);
	} else {
		json_known(j, "calls", r->sum.calls_known, r->sum.calls);
		json_known(j, "instructions", r->sum.insns_known, r->sum.insns);
		json_number(j, "blocks_covered", r->sum.covered);
		json_number(j, "blocks", r->sum.counted);
		json_number(j, "address", r->f->address);
	}
	json_text(j, "function", r->name);
	json_text(j, "file", r->file);
	json_known(j, "line", r->line, r->line);
	json_text(j, "object", r->p->path);
	json_end(j);
}

static void put_tsv(const struct rows *t, size_t n, FILE *out)
{
	fputs(t->blocks_shown ? "count\tinstructions\tshare\tlength\taddress\tblock"
			      : "calls\tinstructions\tshare\tcovered\tblocks\taddress\tfunction",
		out);
	fputs("\tfile\tline\tobject\n", out);
	for (size_t i = 0; i < n; i++)
		tsv_row(t, &t->v[i], out);
}

static void put_json_rows(const struct rows *t, size_t n, FILE *out)
{
	struct json j = json_to(out);
	json_array(&j, NULL);
	for (size_t i = 0; i < n; i++)
		put_json_row(&t->v[i], &j);
	json_line(&j, 0);
	json_end(&j);
	fputc('\n', out);
}

static void put_rows(const struct run *run, const struct view_options *opt, bool blocks, FILE *out)
{
	struct rows t = rows_make(run, opt, blocks);
	if (blocks && !t.blocks)
		die("%s: no block is counted in mode %s", run->v[0].path,
			mode_name(run->v[0].map.mode));
	size_t n = view_rows(opt, t.n);
	for (size_t i = 0; i < n; i++)
		find_place(&t, &t.v[i]);
	switch (opt->format) {
	case FORMAT_TSV: put_tsv(&t, n, out); break;
	case FORMAT_JSON: put_json_rows(&t, n, out); break;
	default: put_text(run, &t, opt, n, out);
	}
	free(t.v);
	free(t.object_insns);
}

void view_functions(const struct run *run, const struct view_options *opt, FILE *out)
{
	put_rows(run, opt, false, out);
}

void view_blocks(const struct run *run, const struct view_options *opt, FILE *out)
{
	put_rows(run, opt, true, out);
}

size_t view_rows(const struct view_options *opt, size_t n)
{
	uint64_t top = opt->top;
	if (top == TOP_UNSAID)
		top = opt->format == FORMAT_TEXT ? 30 : 0;
	return top && top < n ? top : n;
}

struct report_options {
	bool blocks, lines, inlined, all;
};
static const struct option_row options[] = {
	{"blocks", .help = "the hottest blocks instead of functions",
		OPTION_FLAG(struct report_options, blocks)},
	{"lines", .help = "the hottest lines of the source",
		OPTION_FLAG(struct report_options, lines)},
	{"inlined", .help = "functions of the source, inlined ones as themselves",
		OPTION_FLAG(struct report_options, inlined)},
	{"all", .help = "include what was not executed", OPTION_FLAG(struct report_options, all)},
	{NULL},
};
static const char *const formats[] = {
	[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_TSV] = "tsv", NULL};
static const char *const sorts[] = {"instructions", "calls", "count", "coverage", "name", "address",
	NULL};

static int run_report(const struct arguments *a)
{
	const struct report_options *o = a->own;
	struct run r;
	struct view_options view = a->view;
	view.all = o->all;
	view.format = (enum format)a->format;
	view.sort = (enum sort)(a->sort + SORT_INSNS);
	if (o->blocks + o->lines + o->inlined > 1)
		die("report shows blocks, lines or inlined functions: one of them");
	if ((o->lines || o->inlined) && a->sort != SORT_UNSAID)
		die("report --lines and --inlined are sorted by instructions");
	arguments_run(&r, a, &verb_report);
	if (o->blocks || o->lines || o->inlined || o->all)
		run_flows(&r);
	struct output out = output_open(a->output);
	if (o->lines || o->inlined)
		(o->lines ? view_lines : view_inlined)(&r, &view, out.f);
	else
		(o->blocks ? view_blocks : view_functions)(&r, &view, out.f);
	output_close(&out);
	return 0;
}

const struct verb verb_report = {
	.name = "report",
	.summary = "show the hottest functions or blocks",
	.synopsis = "[options] PROG [FILE...]",
	.shared = SHARE_OUTPUT | SHARE_NAMES | SHARE_TOP | SHARE_FILTER | SHARE_RUN,
	.formats = formats,
	.sorts = sorts,
	.options = options,
	.own_size = sizeof(struct report_options),
	.sums = true,
	.run = run_report,
};
