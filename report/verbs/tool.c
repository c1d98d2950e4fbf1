/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.c - ldxprof tool: what a tool shows of a run
 */
#include "report/figures/missing.h"
#include "report/common/json.h"
#include "report/common/output.h"
#include "report/tool/load.h"
#include "report/tool/session.h"
#include "report/tool/show.h"
#include "report/verbs/verbs.h"

#include <string.h>

enum { TOOL_TEXT, TOOL_JSON, TOOL_TSV, TOOL_SOURCE };
static const char *const formats[] = {"text", "json", "tsv", "source", NULL};

static struct {
	struct session *s;
	struct verb verb;
	const struct arguments *a;
} tool;

struct tool_options {
	bool all;
	struct words folders;
	const char *only; /* the table, or NULL */
};

/* Its tables -------------------------------------------------------------------- */

static bool is_shown(const struct ldx_table *t)
{
	const struct tool_options *o = tool.a->own;
	return (!o->only || !strcmp(o->only, t->name)) &&
		(tool.a->format != TOOL_SOURCE || t->rows == LDX_ROWS_LINES);
}

static void need_table(void)
{
	const struct tool_options *o = tool.a->own;
	const char *only = o->only;
	const struct ldx_table *const *t = tool.s->report->tables;
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
		die("tool %s: no table of it has rows of lines", tool.s->report->name);
	die("tool %s: it has no table %s%s", tool.s->report->name, only, near_text(&near, ""));
}

static void put_json_tables(const struct view_options *opt, FILE *out)
{
	struct json j = json_to(out);
	json_object(&j, NULL);
	json_text(&j, "tool", tool.s->report->name);
	for (size_t i = 0; i < tool.s->rows.n; i++) {
		json_line(&j, 0);
		show_json(&tool.s->rows.v[i], opt, &j, tool.s->rows.v[i].table->name);
	}
	json_end(&j);
	fputc('\n', out);
}

static void put_tables(const struct view_options *opt, bool objects, FILE *out)
{
	const struct tool_options *o = tool.a->own;
	struct text_folders f = {o->folders.v, o->folders.n};
	if (tool.a->format == TOOL_JSON) {
		put_json_tables(opt, out);
		return;
	}
	if (tool.a->format == TOOL_TEXT)
		fwrite(tool.s->text, 1, tool.s->size, out);
	for (size_t i = 0; i < tool.s->rows.n; i++) {
		const struct rows *r = &tool.s->rows.v[i];
		fputs(i || (tool.a->format == TOOL_TEXT && tool.s->size) ? "\n" : "", out);
		if (tool.a->format == TOOL_TSV)
			show_tsv(r, opt, out);
		else if (tool.a->format == TOOL_SOURCE)
			show_source(r, &f, out);
		else
			show_text(r, opt, objects, out);
	}
}

static int run_chosen(const struct arguments *a)
{
	const struct tool_options *o = a->own;
	struct run run;
	struct view_options view = a->view;
	view.format = a->format == TOOL_TEXT ? FORMAT_TEXT : FORMAT_TSV;
	tool.a = a;
	need_table();
	arguments_run(&run, a, &tool.verb);
	session_run(tool.s, &run, &view.filter, o->all, is_shown);
	struct output out = output_open(a->output);
	put_tables(&view, run.n > 1, out.f);
	output_close(&out);
	if (tool.s->counts)
		warn_missing(&run, &a->view.filter);
	return 0;
}

/* The verb -------------------------------------------------------------------------- */

static const struct option_row shared_options[] = {
	{"table", .value = "TABLE", .help = "show only this table",
		OPTION_TEXT(struct tool_options, only)},
	{"all", .help = "include what was not executed", OPTION_FLAG(struct tool_options, all)},
	{"source-dir", .value = "DIR", .help = "look for source files there too",
		OPTION_WORDS(struct tool_options, folders)},
	{NULL},
};
enum { SHARED = sizeof shared_options / sizeof *shared_options };

/* The options of the tool, then those of all tools. */
static const struct option_row *tool_options(void)
{
	const struct ldx_option *o = tool.s->report->options;
	size_t n = 0;
	while (o && o[n].name)
		n++;
	struct option_row *row = NEW_ARRAY(struct option_row, n + SHARED);
	for (size_t i = 0; i < n; i++) {
		row[i] = (struct option_row){o[i].name, .value = o[i].what ? o[i].what : "VALUE",
			.help = new_string("%s (default: %s)", o[i].help ? o[i].help : "",
				o[i].value ? o[i].value : "none"),
			.kind = KIND_TEXT, .into = &tool.s->option[i]};
	}
	memcpy(row + n, shared_options, sizeof shared_options);
	return row;
}

static const char *tables_text(void)
{
	const char *text = "\nTables: ";
	for (const struct ldx_table *const *t = tool.s->report->tables; *t; t++)
		text = new_string("%s%s%s", text, (*t)->name, t[1] ? ", " : ".\n");
	return text;
}

static const struct verb *choose(const char *name)
{
	tool.s = session_open(name);
	tool.verb = verb_tool;
	tool.verb.name = new_string("tool %s", name);
	tool.verb.summary = tool.s->report->summary;
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
	.own_size = sizeof(struct tool_options),
	.choose = choose,
	.run = run_list,
};
