/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icount.c - ldxprof icount: how many instructions were executed: a figure for machines to compare
 *
 * The same program does the same work with the same number, on any machine under any load.
 */
#include "report/output.h"
#include "report/verbs/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is executed, but not counted. */
struct missing {
	size_t funcs;
	uint64_t bytes, calls;
	bool uncounted; /* of some of them not even the calls are known */
};

struct icount_row {
	const struct program *p;
	const struct map_func *f;
	uint64_t insns;
	const char *name;
};

static int compare_rows(const void *a, const void *b)
{
	const struct icount_row *x = a, *y = b;
	if (x->insns != y->insns)
		return x->insns < y->insns ? 1 : -1;
	int d = strcmp(x->name, y->name);
	d = d ? d : (x->p > y->p) - (x->p < y->p);
	return d ? d : (x->f > y->f) - (x->f < y->f);
}

static void add_missing(struct missing *m, const struct map_func *f, const struct func_sum *s)
{
	if (s->calls_known && !s->calls)
		return;
	m->funcs++;
	m->bytes += f->size;
	m->calls = add_sat(m->calls, s->calls);
	m->uncounted |= !s->calls_known;
}

static void warn_missing(const struct run *run, const struct missing *m)
{
	struct lost lost = run_lost(run);
	if (m->funcs)
		warn("not in it: %s%" PRIu64 " calls of %zu opaque function%s (%" PRIu64
		     " bytes of code)",
			m->uncounted ? "more than " : "", m->calls, m->funcs,
			m->funcs == 1 ? "" : "s", m->bytes);
	if (lost.processes)
		warn("not in it: %" PRIu64 " processes forked off whose counts are lost",
			lost.processes);
	if (lost.threads)
		warn("not in it: %" PRIu64 " threads whose counts are lost", lost.threads);
}

static bool functions;
static const char *compare;
static double tolerance;

static void put_rows(struct icount_row *row, size_t n, const struct run *run,
	const struct view_options *opt, FILE *out)
{
	qsort(row, n, sizeof *row, compare_rows);
	for (size_t i = 0; i < n && (!opt->top || i < opt->top); i++) {
		const char *slash = strrchr(row[i].p->path, '/');
		fprintf(out, "%18" PRIu64 "  %s", row[i].insns, shown(row[i].name));
		if (row[i].p != run->v)
			fprintf(out, " (%s)", shown(slash ? slash + 1 : row[i].p->path));
		fputc('\n', out);
	}
}

static uint64_t view_icount(const struct run *run, const struct view_options *opt, FILE *out)
{
	struct missing missing = {0};
	uint64_t all = 0;
	size_t n = 0, most = 0;
	for (size_t i = 0; i < run->n; i++)
		most += run->v[i].map.nfuncs;
	struct icount_row *row = NEW_ARRAY(struct icount_row, most);
	for (size_t i = 0; i < run->n; i++) {
		const struct program *p = &run->v[i];
		uint32_t mode = p->map.mode;
		if (mode != LDX_MODE_BLOCKS && mode != LDX_MODE_EDGES)
			die("%s: instructions are counted in modes blocks and edges, not in %s",
				p->path, mode_name(mode));
		for (const struct map_func *f = p->map.func; f < p->map.func + p->map.nfuncs; f++) {
			struct func_sum s = func_sum(p, f);
			if (!func_linked(p, f))
				continue;
			if (!s.insns_known)
				add_missing(&missing, f, &s);
			all = add_sat(all, s.insns);
			if (s.insns)
				row[n++] = (struct icount_row){p, f, s.insns,
					opt->mangled ? f->name : demangled(f->name)};
		}
	}
	if (functions)
		put_rows(row, n, run, opt, out);
	else
		fprintf(out, "%" PRIu64 "\n", all);
	free(row);
	warn_missing(run, &missing);
	return all;
}

static void icount_compare(uint64_t insns, const char *path)
{
	struct input in;
	char text[32] = "", *end;
	if (!input_open(&in, path))
		die("cannot open %s: %s", path, strerror(ENOENT));
	memcpy(text, in.data, in.size < sizeof text ? in.size : sizeof text - 1);
	input_close(&in);
	errno = 0;
	uint64_t before = strtoull(text, &end, 10);
	if (errno || end == text || *text < '0' || *text > '9' || (*end && *end != '\n'))
		die("%s: not a number of instructions", path);
	double change = 100 * ((double)insns - (double)before) / (double)(before ? before : 1);
	if (insns != before && !(fabs(change) <= tolerance))
		die("%" PRIu64 " instructions, where %s has %" PRIu64 ": %+.4f %%", insns, path,
			before, change);
}

static const struct option_row options[] = {
	{"functions", .help = "one number for each function, not for all", .flag = &functions},
	{"compare", .value = "FILE", .help = "fail when the number differs from that in FILE",
		.text = &compare},
	{"tolerance", .value = "PERCENT", .help = "by more than PERCENT (default: 0)",
		.percent = &tolerance},
	{NULL},
};

static int run_icount(const struct arguments *a)
{
	struct run r;
	if (functions && compare)
		die("--compare does not go with --functions");
	arguments_run(&r, a, &verb_icount);
	struct output out = output_open(a->output);
	uint64_t insns = view_icount(&r, &a->view, out.f);
	output_close(&out);
	if (compare)
		icount_compare(insns, compare);
	return 0;
}

const struct verb verb_icount = {
	.name = "icount",
	.summary = "print how many instructions were executed, or compare it",
	.synopsis = "[options] PROG [FILE...]",
	.shared = SHARE_OUTPUT | SHARE_NAMES | SHARE_TOP | SHARE_RUN,
	.options = options,
	.run = run_icount,
};
