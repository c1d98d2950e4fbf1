/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.c - ldxprof html: a page for a browser
 */
#include "report/html/page.h"
#include "report/common/output.h"
#include "report/verbs/verbs.h"

#include <unistd.h>

struct html_options {
	struct words folders, tools;
	bool without_source, executed;
};
static const struct option_row options[] = {
	{"source-dir", .value = "DIR", .help = "look for source files there too",
		OPTION_WORDS(struct html_options, folders)},
	{"tool", .value = "NAME[:OPTION=VALUE,...]",
		.help = "add the tables of this tool: see ldxprof tool; may be given several times",
		OPTION_WORDS(struct html_options, tools)},
	{"executed",
		.help = "leave out the code of functions that were not executed, as the page of\n"
			"a large program does",
		OPTION_FLAG(struct html_options, executed)},
	{"no-source", .help = "leave out the text of source files",
		OPTION_FLAG(struct html_options, without_source)},
	{NULL},
};

/* Each tool, on the counts of PROG or NEW. */
static void run_tools(const struct words *tools, struct page_options *o, const struct run *run)
{
	static const struct filter everything = {.n = 0};
	struct session **v = NEW_ARRAY(struct session *, tools->n);
	for (size_t i = 0; i < tools->n; i++) {
		v[i] = session_open_words(tools->v[i]);
		session_run(v[i], run, &everything, false, NULL);
	}
	o->tool = v;
	o->ntools = tools->n;
}

static int run_html(const struct arguments *a)
{
	const struct html_options *own = a->own;
	struct run run, old;
	struct page_options o = {.folders = {own->folders.v, own->folders.n},
		.without_source = own->without_source,
		.executed = own->executed};
	arguments_need(a, &verb_html, 1, 2, "which program, or which two runs?");
	if (!a->output && isatty(STDOUT_FILENO))
		die("a page is no text for a terminal: write it to a file, -o OUT.html");
	if (a->n == 2) {
		run_open_side(&old, a->v[0]);
		run_flows(&old);
		o.old = &old;
	}
	run_open_side(&run, a->v[a->n - 1]);
	if (own->tools.n)
		run_flows(&run);
	run_tools(&own->tools, &o, &run);
	struct output out = output_open(a->output);
	page_write(&run, &o, out.f);
	output_close(&out);
	return 0;
}

const struct verb verb_html = {
	.name = "html",
	.summary = "write a page for a browser",
	.synopsis = "[options] -o OUT.html PROG\n[options] -o OUT.html OLD NEW",
	.about =
		"\nThe page is a single file, which needs no network.  It shows functions, lines,\n"
		"instructions, calls and coverage of PROG, or of NEW compared with OLD.  Each of these\n"
		"is a program, for which its profile is read, a profile, or PROG,FILE... joined by "
		"commas.\n",
	.shared = SHARE_OUTPUT | SHARE_SEARCH,
	.options = options,
	.own_size = sizeof(struct html_options),
	.run = run_html,
};
