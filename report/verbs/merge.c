/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - ldxprof merge: add several profiles to one
 */
#include "report/read/profile.h"
#include "report/common/progress.h"
#include "report/verbs/verbs.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

struct merge_options {
	struct words weighted, lists;
};

struct part {
	const char *path;
	uint64_t times;
};

struct parts {
	struct part *v;
	size_t n, room;
};

static void add_part(struct parts *p, const char *path, uint64_t times)
{
	if (p->n == p->room) {
		p->room = 2 * p->room + 64;
		p->v = realloc(p->v, p->room * sizeof *p->v);
		if (!p->v)
			die("out of memory");
	}
	p->v[p->n++] = (struct part){path, times};
}

/* Adds the files that match a pattern, sorted; or the file of that name, if it exists. */
static void add_glob(struct parts *p, const char *path, uint64_t times)
{
	glob_t g;
	if (glob(path, GLOB_NOMAGIC, NULL, &g))
		die("no profile matches %s", path);
	if (!strpbrk(path, "*?[") || profile_program(path))
		add_part(p, path, times);
	else
		for (size_t i = 0; i < g.gl_pathc; i++)
			add_part(p, new_string("%s", g.gl_pathv[i]), times);
	globfree(&g);
}

/* TIMES,FILE: false: it is not of that form. */
static bool add_weighted(struct parts *p, const char *word)
{
	char *end;
	errno = 0;
	uint64_t times = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end != ',' || !end[1] || errno)
		return false;
	add_glob(p, end + 1, times);
	return true;
}

static void add_list(struct parts *p, const char *path)
{
	bool standard = !strcmp(path, "-");
	FILE *f = standard ? stdin : fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	if (!f)
		die("cannot open %s: %s", path, strerror(errno));
	while (getline(&line, &size, f) > 0) {
		char *word = new_string("%.*s", (int)strcspn(line, "\n"), line);
		if (*word && !add_weighted(p, word))
			add_glob(p, word, 1);
	}
	if (ferror(f))
		die("cannot read %s: %s", path, strerror(errno));
	free(line);
	if (!standard)
		fclose(f);
}

static struct parts find_parts(const struct arguments *a)
{
	const struct merge_options *o = a->own;
	struct parts p = {.n = 0};
	for (int i = 0; i < a->n; i++)
		add_glob(&p, a->v[i], 1);
	for (size_t i = 0; i < o->weighted.n; i++)
		if (!add_weighted(&p, o->weighted.v[i]))
			die("--weighted=%s: it is TIMES,FILE", o->weighted.v[i]);
	for (size_t i = 0; i < o->lists.n; i++)
		add_list(&p, o->lists.v[i]);
	return p;
}

static int run_merge(const struct arguments *a)
{
	struct profile_set set = {.build = 0};
	struct parts p = find_parts(a);
	uint64_t build = 0;
	if (!p.n)
		die("merge: which profiles? See ldxprof help merge");
	if (!a->output)
		die("merge: -o OUT is missing");
	profile_build(p.v[0].path, &build);
	for (size_t i = 0; i < p.n; i++) {
		progress("reading profiles", i, p.n);
		if (!profile_add_times(&set, p.v[i].path, build, p.v[i].times))
			die("cannot open %s: %s", p.v[i].path, strerror(ENOENT));
	}
	progress("reading profiles", p.n, p.n);
	profile_write(&set, a->output);
	return 0;
}

static const struct option_row options[] = {
	{"weighted", .value = "TIMES,FILE", .help = "add FILE as if it was named so many times",
		OPTION_WORDS(struct merge_options, weighted)},
	{"list", .value = "LIST",
		.help = "add the profiles named in LIST, one on each line as FILE or\n"
			"TIMES,FILE; `-' is the standard input",
		OPTION_WORDS(struct merge_options, lists)},
	{NULL},
};

const struct verb verb_merge = {
	.name = "merge",
	.summary = "add profiles of one build into one",
	.synopsis = "-o OUT [options] FILE...",
	.about = "\nA FILE that does not exist is a pattern of the shell: all files that match are "
		 "added.\n",
	.shared = SHARE_OUTPUT,
	.options = options,
	.own_size = sizeof(struct merge_options),
	.run = run_merge,
};
