/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ls.c - ldxprof ls: the profiles in a directory, and their programs
 */
#include "report/common/json.h"
#include "report/common/output.h"
#include "report/common/progress.h"
#include "report/common/table.h"
#include "report/verbs/verbs.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct ls_options {
	bool recursive;
};
static const struct option_row options[] = {
	{"recursive", .letter = 'R', .help = "also in the directories in DIR",
		OPTION_FLAG(struct ls_options, recursive)},
	{NULL},
};
static const char *const formats[] = {
	[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_TSV] = "tsv", NULL};
enum { BY_PATH, BY_PROGRAM, BY_RUNS, BY_SIZE, BY_DATE };
static const char *const sorts[] = {[BY_PATH] = "path",
	[BY_PROGRAM] = "program",
	[BY_RUNS] = "processes",
	[BY_SIZE] = "size",
	[BY_DATE] = "date",
	NULL};

/* Whether the program is still the one that ran. */
enum state { STATE_SAME, STATE_OTHER, STATE_GONE, STATE_DAMAGED };
static const char *const states[] = {[STATE_SAME] = "there",
	[STATE_OTHER] = "linked again",
	[STATE_GONE] = "gone",
	[STATE_DAMAGED] = "damaged profile"};

struct entry {
	char *path, *program;
	uint64_t build, runs, running, size;
	struct timespec date; /* of the last run, as far as the file system knows it */
	enum state state;
};

struct entries {
	struct entry *v;
	size_t n;
};

static enum state find_state(const struct entry *e)
{
	uint64_t build;
	if (!program_build(e->program, &build))
		return STATE_GONE;
	return build == e->build ? STATE_SAME : STATE_OTHER;
}

static void add_file(struct entries *list, const char *path, const struct stat *st)
{
	struct profile_brief b;
	if (!profile_brief(path, &b))
		return;
	list->v = realloc(list->v, (list->n + 1) * sizeof *list->v);
	if (!list->v)
		die("out of memory");
	struct entry *e = &list->v[list->n++];
	*e = (struct entry){.path = new_string("%s", path),
		.program = new_string("%s", b.program),
		.build = b.build,
		.runs = b.runs,
		.running = b.running,
		.size = (uint64_t)st->st_size,
		.date = st->st_mtim,
		.state = STATE_DAMAGED};
	if (!b.damaged)
		e->state = find_state(e);
	progress("looking for profiles", list->n, 0);
}

static void find_files(struct entries *list, char *dir, bool recursive)
{
	char *roots[] = {dir, NULL};
	FTS *t = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW, NULL);
	if (!t)
		die("cannot open %s: %s", dir, strerror(errno));
	for (FTSENT *e; (e = fts_read(t));) {
		if (e->fts_info == FTS_F)
			add_file(list, e->fts_path, e->fts_statp);
		else if (e->fts_info == FTS_D && e->fts_level && !recursive)
			fts_set(t, e, FTS_SKIP);
		else if (e->fts_level == FTS_ROOTLEVEL && e->fts_errno)
			die("cannot open %s: %s", dir, strerror(e->fts_errno));
	}
	fts_close(t);
}

static int descending(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

static int compare_entries(const void *a, const void *b, void *order)
{
	const struct entry *x = a, *y = b;
	int d = 0;
	switch (*(int *)order) {
	case BY_PROGRAM: d = strcmp(x->program, y->program); break;
	case BY_RUNS: d = descending(x->runs, y->runs); break;
	case BY_SIZE: d = descending(x->size, y->size); break;
	case BY_DATE:
		d = descending((uint64_t)x->date.tv_sec, (uint64_t)y->date.tv_sec);
		d = d ? d : descending((uint64_t)x->date.tv_nsec, (uint64_t)y->date.tv_nsec);
		break;
	}
	return d ? d : strcmp(x->path, y->path);
}

/* In local time for readers, in UTC for programs. */
static const char *date_text(const struct entry *e, bool local)
{
	static char text[64];
	struct tm tm;
	if (local ? !localtime_r(&e->date.tv_sec, &tm) : !gmtime_r(&e->date.tv_sec, &tm))
		return "-";
	strftime(text, sizeof text, local ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%dT%H:%M:%SZ", &tm);
	return text;
}

static void put_text(const struct entries *list, size_t n, FILE *out)
{
	static const struct table_column columns[] = {{"last run", COLUMN_TEXT},
		{"processes", COLUMN_NUMBER}, {"running", COLUMN_NUMBER}, {"size", COLUMN_NUMBER},
		{"build", COLUMN_TEXT}, {"program is", COLUMN_TEXT}, {"profile", COLUMN_TEXT},
		{"program", COLUMN_TEXT}};
	struct table *t = table_new(columns, 8, 0);
	for (const struct entry *e = list->v; e < list->v + n; e++) {
		table_cell(t, "%s", date_text(e, true));
		table_count(t, true, e->runs);
		table_count(t, true, e->running);
		table_count(t, true, e->size);
		table_cell(t, "%016" PRIx64, e->build);
		table_cell(t, "%s", states[e->state]);
		table_cell(t, "%s", shown(e->path));
		table_cell(t, "%s", shown(e->program));
	}
	table_put(t, out);
	if (!list->n)
		fputs("no profiles\n", out);
	if (n < list->n)
		fprintf(out, "\n%zu more: --top=0 shows all\n", list->n - n);
}

static void put_tsv(const struct entries *list, size_t n, FILE *out)
{
	fputs("date\tprocesses\trunning\tsize\tbuild\tstate\tprofile\tprogram\n", out);
	for (const struct entry *e = list->v; e < list->v + n; e++) {
		fprintf(out, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%016" PRIx64 "\t%s\t",
			date_text(e, false), e->runs, e->running, e->size, e->build,
			states[e->state]);
		put_shown(out, e->path);
		fputc('\t', out);
		put_shown(out, e->program);
		fputc('\n', out);
	}
}

static void put_json_row(const struct entry *e, struct json *j)
{
	json_line(j, 1);
	json_object(j, NULL);
	json_text(j, "date", date_text(e, false));
	json_number(j, "processes", e->runs);
	json_number(j, "running", e->running);
	json_number(j, "size", e->size);
	json_print(j, "build", "\"%016" PRIx64 "\"", e->build);
	json_text(j, "state", states[e->state]);
	json_text(j, "profile", e->path);
	json_text(j, "program", e->program);
	json_end(j);
}

static void put_json_rows(const struct entries *list, size_t n, FILE *out)
{
	struct json j = json_to(out);
	json_array(&j, NULL);
	for (size_t i = 0; i < n; i++)
		put_json_row(&list->v[i], &j);
	json_line(&j, 0);
	json_end(&j);
	fputc('\n', out);
}

static int run_ls(const struct arguments *a)
{
	static char here[] = ".";
	const struct ls_options *o = a->own;
	int order = a->sort == SORT_UNSAID ? BY_PATH : a->sort;
	struct entries list = {.n = 0};
	struct view_options view = a->view;
	view.format = (enum format)a->format;
	if (!a->n)
		find_files(&list, here, o->recursive);
	for (int i = 0; i < a->n; i++)
		find_files(&list, a->v[i], o->recursive);
	progress_clear();
	if (list.n)
		qsort_r(list.v, list.n, sizeof *list.v, compare_entries, &order);
	if (view.top == TOP_UNSAID)
		view.top = 0;
	size_t n = view_rows(&view, list.n);
	struct output out = output_open(a->output);
	switch (view.format) {
	case FORMAT_JSON: put_json_rows(&list, n, out.f); break;
	case FORMAT_TSV: put_tsv(&list, n, out.f); break;
	default: put_text(&list, n, out.f);
	}
	output_close(&out);
	return 0;
}

const struct verb verb_ls = {
	.name = "ls",
	.summary = "list the profiles in a directory, and what they are of",
	.synopsis = "[options] [DIR|FILE...]",
	.about = "\nDIR is the current directory unless it is said.\n",
	.shared = SHARE_OUTPUT | SHARE_TOP,
	.formats = formats,
	.sorts = sorts,
	.options = options,
	.own_size = sizeof(struct ls_options),
	.run = run_ls,
};
