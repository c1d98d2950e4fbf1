/* SPDX-License-Identifier: Apache-2.0 */
/*
 * icount.c - ldxprof icount: the number of instructions executed, for automatic comparison
 *
 * For the same program and work the number is the same, on any machine under any load.
 */
#include "report/figures/baseline.h"
#include "report/figures/missing.h"
#include "report/common/output.h"
#include "report/common/table.h"
#include "report/verbs/verbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct icount_options {
	bool functions, update;
	const char *baseline;
	struct words limits;
};

static int compare_values(const void *a, const void *b)
{
	const struct figure *x = a, *y = b;
	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	int d = strcmp(x->name, y->name);
	d = d ? d : strcmp(x->object, y->object);
	return d ? d : strcmp(x->file, y->file);
}

static void put_functions(struct figures *f, const struct view_options *opt, FILE *out)
{
	static const struct table_column columns[] = {{"", COLUMN_NUMBER}, {"", COLUMN_NAME}};
	struct table *t = table_new(columns, 2, opt->width);
	qsort(f->v, f->n, sizeof *f->v, compare_values);
	for (size_t i = 0; i < f->n && (!opt->top || i < opt->top); i++) {
		const char *object = f->v[i].object;
		table_count(t, true, f->v[i].value);
		table_name(t, shown(f->v[i].name),
			*object ? new_string(" (%s)", shown(object)) : "");
	}
	table_put(t, out);
}

/* --max-increase=[WHAT=]PERCENT; a C++ name may contain an equals sign itself. */
struct limit {
	const char *what; /* NULL: all */
	struct filter filter;
	double percent;
};

static struct limit read_limit(const char *word)
{
	const char *equals = strrchr(word, '='), *number = equals ? equals + 1 : word;
	struct limit l = {.what = equals ? new_string("%.*s", (int)(equals - word), word) : NULL};
	char *end;
	l.percent = strtod(number, &end);
	end += *end == '%';
	if (*end || !(l.percent >= 0 && l.percent <= 1e6) || *number < '0' || *number > '9')
		die("--max-increase=%s: not a percentage", word);
	if (l.what)
		l.filter = filter_make((char *const *)&l.what, 1);
	return l;
}

/* The changes in the functions to which the limit applies. */
static struct changes limited(const struct limit *l, const struct changes *all, const char *program)
{
	struct changes c = {.v = NEW_ARRAY(struct change, all->n)};
	for (size_t i = 0; i < all->n; i++) {
		const struct figure *f = all->v[i].of;
		if (filter_takes_names(&l->filter, *f->object ? f->object : program, f->name,
			    f->file))
			c.v[c.n++] = all->v[i];
	}
	if (l->what && !c.n)
		die("--max-increase=%s: no function of that name was executed", l->what);
	return c;
}

static int compare_growth(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	int more = (y->new > y->old) - (x->new > x->old);
	uint64_t p = change_size(x), q = change_size(y);
	int d = more ? more : p < q ? 1 : p > q ? -1 : 0;
	return d ? d : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The functions that grew, most first. */
static void put_growth(struct changes *c, const struct view_options *opt)
{
	static const struct table_column columns[] = {{"difference", COLUMN_NUMBER},
		{"change", COLUMN_NUMBER}, {"function", COLUMN_NAME}};
	enum { MOST = 10 };
	size_t n = 0, most = opt->top == TOP_UNSAID ? MOST : opt->top ? opt->top : SIZE_MAX;
	struct table *t = table_new(columns, 3, opt->width);
	qsort(c->v, c->n, sizeof *c->v, compare_growth);
	for (size_t i = 0; i < c->n && c->v[i].new > c->v[i].old; i++, n++) {
		const struct figure *f = c->v[i].of;
		if (n >= most)
			continue;
		table_cell(t, "%s", change_difference(&c->v[i]));
		table_cell(t, "%s", change_percent(&c->v[i]));
		table_name(t, shown(f->name),
			*f->object ? new_string(" (%s)", shown(f->object)) : "");
	}
	table_put(t, stderr);
	if (n > most)
		fprintf(stderr, "%zu more: --top=0 shows all\n", n - most);
}

/* Is the limit kept?  If not, print the functions that grew. */
static bool check_limit(const struct limit *l, const struct changes *all, const char *program,
	const struct arguments *a)
{
	const struct icount_options *o = a->own;
	struct changes c = limited(l, all, program);
	struct change sum = {.old = 0};
	for (size_t i = 0; i < c.n; i++) {
		sum.old = add_sat(sum.old, c.v[i].old);
		sum.new = add_sat(sum.new, c.v[i].new);
	}
	double most = (double)sum.old * l->percent / 100;
	if (sum.new <= sum.old || (double)change_size(&sum) <= most)
		return true;
	fprintf(stderr, "ldxprof: %s: %" PRIu64 " instructions, where %s has %" PRIu64 ": %s",
		l->what ? shown(l->what) : "all functions", sum.new, shown(o->baseline), sum.old,
		change_difference(&sum));
	fprintf(stderr, "%s%s, at most +%g%% is allowed\n", sum.old ? ", " : "",
		sum.old ? change_percent(&sum) : "", l->percent);
	put_growth(&c, &a->view);
	return false;
}

static void keep_filtered(struct figures *f, const struct filter *filter, const char *program)
{
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++) {
		const struct figure *x = &f->v[i];
		if (filter_takes_names(filter, *x->object ? x->object : program, x->name, x->file))
			f->v[n++] = *x;
	}
	f->n = n;
}

static bool check_limits(const struct figures *now, const struct run *run,
	const struct arguments *a)
{
	const struct icount_options *o = a->own;
	const char *program = run->v[0].path;
	struct figures before = baseline_read(o->baseline);
	keep_filtered(&before, &a->view.filter, program);
	struct changes c = changes_find(&before, now, true);
	bool kept = true;
	for (size_t i = 0; i < o->limits.n; i++) {
		struct limit l = read_limit(o->limits.v[i]);
		kept &= check_limit(&l, &c, program, a);
	}
	return kept;
}

static int run_icount(const struct arguments *a)
{
	const struct icount_options *o = a->own;
	struct run r;
	if ((o->limits.n || o->update) && !o->baseline)
		die("icount: --baseline=FILE is missing");
	if (o->baseline && !o->limits.n && !o->update)
		die("icount: --baseline is for --max-increase and --update");
	if (o->baseline && a->view.mangled)
		die("icount: a baseline has demangled names");
	for (size_t i = 0; i < o->limits.n; i++)
		read_limit(o->limits.v[i]);
	arguments_run(&r, a, &verb_icount);
	struct figures f = figures_of(&r, FIGURE_INSNS, &a->view);
	bool kept = !o->limits.n || check_limits(&f, &r, a);
	if (o->update && kept)
		baseline_write(&f, o->baseline);
	struct output out = output_open(a->output);
	if (o->functions)
		put_functions(&f, &a->view, out.f);
	else
		fprintf(out.f, "%" PRIu64 "\n", figures_sum(&f));
	output_close(&out);
	warn_missing(&r, &a->view.filter);
	return !kept;
}

static const struct option_row options[] = {
	{"functions", .help = "one number for each function, not for all",
		OPTION_FLAG(struct icount_options, functions)},
	{"baseline", .value = "FILE", .help = "figures of an earlier run, by function",
		OPTION_TEXT(struct icount_options, baseline)},
	{"max-increase", .value = "[GLOB=]PERCENT",
		.help = "exit with status 1 when more was executed than FILE says, by more\n"
			"than PERCENT: in all, or in the functions that match GLOB, as for\n"
			"--filter; may be given several times",
		OPTION_WORDS(struct icount_options, limits)},
	{"update", .help = "write the figures to FILE, unless there is more than is allowed",
		OPTION_FLAG(struct icount_options, update)},
	{NULL},
};

const struct verb verb_icount = {
	.name = "icount",
	.summary = "print how many instructions were executed, and fail when they are more",
	.synopsis = "[options] PROG [FILE...]",
	.about = "\nThe exit status is 1 when --max-increase is exceeded, 2 after an error.\n",
	.shared = SHARE_OUTPUT | SHARE_NAMES | SHARE_TOP | SHARE_FILTER | SHARE_RUN,
	.options = options,
	.own_size = sizeof(struct icount_options),
	.error = 2,
	.sums = true,
	.run = run_icount,
};
