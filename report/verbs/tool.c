/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.c - ldxprof tool: what a tool shows of a run, and the functions of ldx/report.h
 */
#include "report/missing.h"
#include "report/output.h"
#include "report/tool/load.h"
#include "report/tool/show.h"
#include "report/tool/walk.h"
#include "report/verbs/verbs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TOOL_TEXT, TOOL_JSON, TOOL_TSV, TOOL_SOURCE };
static const char *const formats[] = {"text", "json", "tsv", "source", NULL};

/* Rows that the tool has added to a table. */
struct added {
	const struct ldx_table *table;
	VEC(struct ldx_value) values;
	size_t n;
};

static struct {
	const struct ldx_report *report;
	struct verb verb;
	const char **option; /* the values of its options */
	struct run run;
	const struct arguments *a;
	VEC(struct added) added;
	VEC(struct rows) rows;
	FILE *text; /* what it prints */
	char *printed;
	size_t size;
} tool;

static bool all;
static struct words folders;
static const char *only;

/* The functions of ldx/report.h ------------------------------------------------- */

const char *ldx_option(const char *name)
{
	const struct ldx_option *o = tool.report->options;
	for (size_t i = 0; o && o[i].name; i++)
		if (!strcmp(o[i].name, name))
			return tool.option[i];
	return NULL;
}

static struct added *added_to(const struct ldx_table *t)
{
	for (size_t i = 0; i < tool.added.n; i++)
		if (tool.added.v[i].table == t)
			return &tool.added.v[i];
	vec_push(&tool.added, (struct added){.table = t});
	return &tool.added.v[tool.added.n - 1];
}

void ldx_add_row(const struct ldx_table *t, const struct ldx_value *values)
{
	struct added *to = added_to(t);
	size_t n = columns_of(t);
	for (size_t k = 0; k < n; k++) {
		struct ldx_value v = values[k];
		v.text = v.text ? new_string("%s", v.text) : NULL;
		vec_push(&to->values, v);
	}
	to->n++;
}

void ldx_print(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vfprintf(tool.text, format, ap);
	va_end(ap);
}

void ldx_fail(const char *format, ...)
{
	va_list ap;
	char *text;
	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = "";
	va_end(ap);
	die("tool %s: %s", tool.report->name, text);
}

/* A tool's tables ----------------------------------------------------------------- */

static bool is_shown(const struct ldx_table *t)
{
	return (!only || !strcmp(only, t->name)) &&
		(tool.a->format != TOOL_SOURCE || t->rows == LDX_ROWS_LINES);
}

static void make_rows(void *ctx)
{
	(void)ctx;
	if (tool.report->run)
		tool.report->run();
	for (const struct ldx_table *const *t = tool.report->tables; *t; t++) {
		if (!is_shown(*t))
			continue;
		const struct added *own = added_to(*t);
		vec_push(&tool.rows,
			(*t)->rows == LDX_ROWS_ADDED ? rows_added(*t, own->values.v, own->n)
						     : rows_make(*t, &tool.a->view.filter, all));
	}
}

static void need_table(void)
{
	const struct ldx_table *const *t = tool.report->tables;
	struct near_word near = {.word = only};
	if (!only && tool.a->format != TOOL_SOURCE)
		return;
	for (; *t; t++) {
		if (is_shown(*t))
			return;
		if (only)
			near_try(&near, (*t)->name);
	}
	if (tool.a->format == TOOL_SOURCE)
		die("tool %s: no table of it has rows of lines", tool.report->name);
	die("tool %s: it has no table %s%s", tool.report->name, only, near_text(&near, ""));
}

static void put_json_tables(const struct view_options *opt, FILE *out)
{
	fputs("{\"tool\":", out);
	put_json(out, tool.report->name);
	for (size_t i = 0; i < tool.rows.n; i++) {
		fputs(",\n", out);
		put_json(out, tool.rows.v[i].table->name);
		fputc(':', out);
		show_json(&tool.rows.v[i], opt, out);
	}
	fputs("}\n", out);
}

static void put_tables(const struct view_options *opt, FILE *out)
{
	struct text_folders f = {folders.v, folders.n};
	if (tool.a->format == TOOL_JSON) {
		put_json_tables(opt, out);
		return;
	}
	if (tool.a->format == TOOL_TEXT)
		fwrite(tool.printed, 1, tool.size, out);
	for (size_t i = 0; i < tool.rows.n; i++) {
		const struct rows *r = &tool.rows.v[i];
		fputs(i || (tool.a->format == TOOL_TEXT && tool.size) ? "\n" : "", out);
		if (tool.a->format == TOOL_TSV)
			show_tsv(r, opt, out);
		else if (tool.a->format == TOOL_SOURCE)
			show_source(r, &f, out);
		else
			show_text(r, opt, tool.run.n > 1, out);
	}
}

static int run_chosen(const struct arguments *a)
{
	struct view_options view = a->view;
	view.format = a->format == TOOL_TEXT ? FORMAT_TEXT : FORMAT_TSV;
	tool.a = a;
	need_table();
	arguments_run(&tool.run, a, &tool.verb);
	run_need_counts(&tool.run);
	walk_open(&tool.run, tool.report->run);
	tool.text = open_memstream(&tool.printed, &tool.size);
	if (!tool.text)
		die("out of memory");
	tool_call(tool.report, make_rows, NULL);
	if (fclose(tool.text))
		die("out of memory");
	struct output out = output_open(a->output);
	put_tables(&view, out.f);
	output_close(&out);
	warn_missing(&tool.run, &a->view.filter);
	return 0;
}

/* The verb -------------------------------------------------------------------------- */

static const struct option_row shared_options[] = {
	{"table", .value = "TABLE", .help = "show only this table", .text = &only},
	{"all", .help = "include what was not executed", .flag = &all},
	{"source-dir", .value = "DIR", .help = "look for source files there too",
		.words = &folders},
	{NULL},
};
enum { SHARED = sizeof shared_options / sizeof *shared_options };

/* The options of the tool, then those of all tools. */
static const struct option_row *tool_options(void)
{
	const struct ldx_option *o = tool.report->options;
	size_t n = 0;
	while (o && o[n].name)
		n++;
	struct option_row *row = NEW_ARRAY(struct option_row, n + SHARED);
	tool.option = NEW_ARRAY(const char *, n);
	for (size_t i = 0; i < n; i++) {
		tool.option[i] = o[i].value;
		row[i] = (struct option_row){o[i].name, .value = o[i].what ? o[i].what : "VALUE",
			.help = new_string("%s (default: %s)", o[i].help ? o[i].help : "",
				o[i].value ? o[i].value : "none"),
			.text = &tool.option[i]};
	}
	memcpy(row + n, shared_options, sizeof shared_options);
	return row;
}

static const char *tables_text(void)
{
	const char *text = "\nTables: ";
	for (const struct ldx_table *const *t = tool.report->tables; *t; t++)
		text = new_string("%s%s%s", text, (*t)->name, t[1] ? ", " : ".\n");
	return text;
}

static const struct verb *choose(const char *name)
{
	tool.report = tool_load(name);
	tool.verb = verb_tool;
	tool.verb.name = new_string("tool %s", name);
	tool.verb.summary = tool.report->summary;
	tool.verb.synopsis = "[options] PROG [FILE...]";
	tool.verb.about = tables_text();
	tool.verb.options = tool_options();
	tool.verb.run = run_chosen;
	return &tool.verb;
}

static int run_list(const struct arguments *a)
{
	arguments_need(a, &verb_tool, 0, 0, "the tool's name is the first argument.");
	struct output out = output_open(a->output);
	tool_list(out.f);
	output_close(&out);
	return 0;
}

const struct verb verb_tool = {
	.name = "tool",
	.summary = "show what a tool makes of the counts, or list tools",
	.synopsis = "\nNAME [options] PROG [FILE...]",
	.about = "\nNAME is that of a tool in the list, or the path of a shared object made with\n"
		 "ldx/report.h.  `ldxprof tool NAME --help' has the tool's own options.\n",
	.shared = SHARE_OUTPUT | SHARE_NAMES | SHARE_TOP | SHARE_FILTER | SHARE_RUN,
	.formats = formats,
	.options = shared_options,
	.choose = choose,
	.run = run_list,
};
