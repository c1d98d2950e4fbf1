/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ldxprof: what the runs of an instrumented program counted
 */
#include "report/util.h"
#include "report/views.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: ldxprof report [options] PROG [FILE...]\n"
	"       ldxprof export [--format=json|counts] [--address] PROG [FILE...]\n"
	"       ldxprof icount [--functions] [--compare=FILE [--tolerance=PERCENT]] PROG [FILE...]\n"
	"       ldxprof merge -o OUT FILE...\n"
	"       ldxprof info FILE\n"
	"       ldxprof where PROG\n"
	"\n"
	"PROG was linked by ldx; FILEs are profiles, by default that of PROG: `where' prints\n"
	"its name.  A profile in place of PROG stands for its program.  The shared objects\n"
	"linked by ldx that the program ran with are included.\n"
	"\n"
	"options of report:\n"
	"  --blocks             the hottest blocks instead of functions\n"
	"  --function=NAME      the instructions of one function, with counts\n"
	"  --sort=KEY           instructions, calls, count, coverage, name or address\n"
	"  --limit=N            show N lines at most; 0: all (default: 30 as text)\n"
	"  --all                include what was not executed\n"
	"  --no-demangle        names as they are in the program\n"
	"  --format=FORMAT      text, json or tsv\n"
	"\n"
	"options of icount:\n"
	"  --functions          one number for each function, not for all\n"
	"  --compare=FILE       fail when the number differs from that in FILE\n"
	"  --tolerance=PERCENT  by more than PERCENT (default: 0)\n"
	"  --limit, --no-demangle: with --functions, as of report\n"
	"\n"
	"options of all:\n"
	"  -o, --output=OUT     write to OUT\n";

enum {
	OPT_BLOCKS = 1,
	OPT_FUNCTION,
	OPT_SORT,
	OPT_LIMIT,
	OPT_ALL,
	OPT_MANGLED,
	OPT_FORMAT,
	OPT_ADDRESS,
	OPT_FUNCTIONS,
	OPT_COMPARE,
	OPT_TOLERANCE,
	OPT_OUTPUT,
	OPT_HELP,
	OPT_VERSION
};

static const struct option long_options[] = {
	{"blocks", no_argument, NULL, OPT_BLOCKS},
	{"function", required_argument, NULL, OPT_FUNCTION},
	{"sort", required_argument, NULL, OPT_SORT},
	{"limit", required_argument, NULL, OPT_LIMIT},
	{"all", no_argument, NULL, OPT_ALL},
	{"no-demangle", no_argument, NULL, OPT_MANGLED},
	{"format", required_argument, NULL, OPT_FORMAT},
	{"address", no_argument, NULL, OPT_ADDRESS},
	{"functions", no_argument, NULL, OPT_FUNCTIONS},
	{"compare", required_argument, NULL, OPT_COMPARE},
	{"tolerance", required_argument, NULL, OPT_TOLERANCE},
	{"output", required_argument, NULL, OPT_OUTPUT},
	{"help", no_argument, NULL, OPT_HELP},
	{"version", no_argument, NULL, OPT_VERSION},
	{NULL, 0, NULL, 0},
};

#define BIT(option) (1u << (option))

struct command {
	struct view_options view;
	unsigned given; /* which options, as bits */
	bool blocks, functions;
	const char *function;
	const char *compare; /* NULL: with nothing */
	double tolerance;
	const char *output; /* NULL: standard output */
	char **files;
	int nfiles;
};

/* The index of value in names, which ends with NULL. */
static int choose(const char *option, const char *value, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], value))
			return i;
	die("--%s=%s: no such choice", option, value);
}

static uint64_t number(const char *option, const char *s)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(s, &end, 10);
	if (errno || *end || *s < '0' || *s > '9')
		die("--%s=%s: not a number", option, s);
	return n;
}

static double percent(const char *option, const char *s)
{
	char *end;
	double n = strtod(s, &end);
	if (*end || !(n >= 0 && n <= 1e6) || *s < '0' || *s > '9')
		die("--%s=%s: not a percentage", option, s);
	return n;
}

static void take_option(struct command *c, int opt)
{
	static const char *const formats[] = {"text", "json", "tsv", "counts", NULL};
	static const char *const sorts[] = {"", "instructions", "calls", "count", "coverage",
		"name", "address", NULL};
	switch (opt) {
	case OPT_BLOCKS: c->blocks = true; break;
	case OPT_FUNCTION: c->function = optarg; break;
	case OPT_SORT: c->view.sort = (enum sort)choose("sort", optarg, sorts); break;
	case OPT_ALL: c->view.all = true; break;
	case OPT_MANGLED: c->view.mangled = true; break;
	case OPT_FUNCTIONS: c->functions = true; break;
	case OPT_COMPARE: c->compare = optarg; break;
	case OPT_TOLERANCE: c->tolerance = percent("tolerance", optarg); break;
	case OPT_ADDRESS: c->view.address = true; break;
	case OPT_OUTPUT: c->output = optarg; break;
	case OPT_LIMIT: c->view.limit = number("limit", optarg); break;
	case OPT_FORMAT: c->view.format = (enum format)choose("format", optarg, formats); break;
	case OPT_HELP: fputs(usage, stdout); exit(0);
	case OPT_VERSION: puts("ldxprof " LDX_VERSION); exit(0);
	}
}

static struct command parse(int argc, char **argv)
{
	struct command c = {.output = NULL};
	int opt;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "o:", long_options, NULL)) != -1) {
		if (opt == '?')
			die("%s: no such option, or its value is missing, or it takes none",
				argv[optind - 1]);
		opt = opt == 'o' ? OPT_OUTPUT : opt;
		c.given |= BIT(opt);
		take_option(&c, opt);
	}
	c.files = argv + optind;
	c.nfiles = argc - optind;
	return c;
}

static FILE *open_output(const struct command *c)
{
	FILE *f = c->output ? fopen(c->output, "w") : stdout;
	if (!f)
		die("cannot write %s: %s", c->output, strerror(errno));
	return f;
}

static void close_output(FILE *f, const struct command *c)
{
	if (fflush(f) || ferror(f) || fclose(f))
		die("cannot write %s: %s", c->output ? c->output : "the output", strerror(errno));
}

static void open_run(struct run *r, const struct command *c, const char *verb)
{
	if (c->nfiles < 1)
		die("%s: which program? See ldxprof --help", verb);
	const char *program = profile_program(c->files[0]);
	int own = !program;
	run_open(r, own ? c->files[0] : program, c->files + own, c->nfiles - own);
}

/* Each verb has options of its own; others would change nothing. */
static void allow(const struct command *c, const char *what, unsigned options)
{
	for (const struct option *o = long_options; o->name; o++)
		if (c->given & ~(options | BIT(OPT_OUTPUT)) & BIT(o->val))
			die("--%s is not an option of %s; see ldxprof --help", o->name, what);
}

static void run_report(struct command *c)
{
	struct run r;
	if (c->function)
		allow(c, "report --function", BIT(OPT_FUNCTION) | BIT(OPT_MANGLED));
	else
		allow(c, "report",
			BIT(OPT_BLOCKS) | BIT(OPT_SORT) | BIT(OPT_LIMIT) | BIT(OPT_ALL) |
				BIT(OPT_MANGLED) | BIT(OPT_FORMAT));
	if (c->view.format == FORMAT_COUNTS)
		die("--format=counts is of export");
	if (!(c->given & BIT(OPT_LIMIT)) && c->view.format == FORMAT_TEXT)
		c->view.limit = 30;
	open_run(&r, c, "report");
	FILE *out = open_output(c);
	if (c->function)
		view_function(&r, &c->view, c->function, out);
	else if (c->blocks)
		view_blocks(&r, &c->view, out);
	else
		view_functions(&r, &c->view, out);
	close_output(out, c);
}

static void run_export(struct command *c)
{
	struct run r;
	allow(c, "export", BIT(OPT_FORMAT) | BIT(OPT_ADDRESS));
	if (!(c->given & BIT(OPT_FORMAT)))
		c->view.format = FORMAT_JSON;
	if (c->view.format != FORMAT_JSON && c->view.format != FORMAT_COUNTS)
		die("export: the format is json or counts");
	if (c->view.address && c->view.format != FORMAT_COUNTS)
		die("--address is of export --format=counts");
	open_run(&r, c, "export");
	FILE *out = open_output(c);
	if (c->view.format == FORMAT_JSON)
		view_json(&r, out);
	else
		view_counts(&r, &c->view, out);
	close_output(out, c);
}

static void run_icount(struct command *c)
{
	struct run r;
	if (c->functions)
		allow(c, "icount --functions",
			BIT(OPT_FUNCTIONS) | BIT(OPT_LIMIT) | BIT(OPT_MANGLED));
	else
		allow(c, "icount", BIT(OPT_COMPARE) | BIT(OPT_TOLERANCE));
	if ((c->given & BIT(OPT_TOLERANCE)) && !c->compare)
		die("--tolerance is of icount --compare");
	open_run(&r, c, "icount");
	FILE *out = open_output(c);
	uint64_t insns = view_icount(&r, &c->view, c->functions, out);
	close_output(out, c);
	if (c->compare)
		icount_compare(insns, c->compare, c->tolerance);
}

static void run_merge(struct command *c)
{
	struct profile_set p = {.build = 0};
	allow(c, "merge", 0);
	if (!c->output || c->nfiles < 1)
		die("merge: say -o OUT and which profiles");
	uint64_t build = 0;
	profile_build(c->files[0], &build);
	for (int i = 0; i < c->nfiles; i++)
		if (!profile_add(&p, c->files[i], build))
			die("cannot open %s: %s", c->files[i], strerror(ENOENT));
	profile_write(&p, c->output);
}

static void run_info(struct command *c)
{
	allow(c, "info", 0);
	if (c->nfiles != 1)
		die("info: which profile?");
	FILE *out = open_output(c);
	profile_info(c->files[0], out);
	close_output(out, c);
}

static void run_where(struct command *c)
{
	allow(c, "where", 0);
	if (c->nfiles != 1)
		die("where: which program?");
	FILE *out = open_output(c);
	view_where(c->files[0], out);
	close_output(out, c);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct command *);
	} verbs[] = {{"report", run_report}, {"export", run_export}, {"merge", run_merge},
		{"info", run_info}, {"icount", run_icount}, {"where", run_where}};
	struct command c = parse(argc, argv);
	if (c.nfiles < 1) {
		fputs(usage, stderr);
		return 1;
	}
	const char *verb = c.files[0];
	c.files++;
	c.nfiles--;
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		if (strcmp(verbs[i].name, verb))
			continue;
		verbs[i].run(&c);
		return 0;
	}
	die("no command %s; see ldxprof --help", verb);
}
