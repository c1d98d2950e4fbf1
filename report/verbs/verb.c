/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb.c - the options and the help of a verb, from its struct verb
 */
#include "report/verbs/verb.h"

#include "report/read/objects.h"
#include "report/common/table.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <unistd.h>

#define WIDTH_UNSAID UINT64_MAX

/* The options of a verb: its own, then those that it shares. */
struct options {
	const struct verb *verb;
	struct option_row v[64];
	size_t n;
};

static void add_row(struct options *o, struct option_row row)
{
	if (o->n == sizeof o->v / sizeof o->v[0])
		die("%s has too many options", o->verb->name);
	o->v[o->n++] = row;
}

static void add_names(struct options *o)
{
	add_row(o,
		(struct option_row){"full-names",
			.help = "do not shorten names to the width of the terminal",
			OPTION_FLAG(struct arguments, full_names)});
	add_row(o,
		(struct option_row){"width", .value = "N",
			.help = "shorten names so that lines have at most N columns; 0: do not\n"
				"(default: the width of the terminal, 0 if there is none)",
			OPTION_NUMBER(struct arguments, width)});
	add_row(o,
		(struct option_row){"no-demangle", .help = "show names as they are in the program",
			OPTION_FLAG(struct arguments, view.mangled)});
}

static void add_search(struct options *o)
{
	add_row(o,
		(struct option_row){"sysroot", .value = "DIR",
			.help = "look for programs and shared objects below DIR first, by the paths\n"
				"at which they ran",
			OPTION_TEXT(struct arguments, sysroot)});
	add_row(o,
		(struct option_row){"object", .value = "FILE|DIR",
			.help = "use FILE, or the files in DIR, if their builds are the profile's",
			OPTION_WORDS(struct arguments, objects)});
}

static void add_shared(struct options *o)
{
	unsigned shared = o->verb->shared;
	if (o->verb->sorts)
		add_row(o,
			(struct option_row){"sort", .value = "KEY", .help = "sort by",
				OPTION_CHOICE(struct arguments, sort), .choices = o->verb->sorts});
	if (shared & SHARE_TOP)
		add_row(o,
			(struct option_row){"top", .value = "N",
				.help = "show at most N rows; 0: all (default: 30 as text)",
				OPTION_NUMBER(struct arguments, view.top)});
	if (shared & SHARE_FILTER)
		add_row(o,
			(struct option_row){"filter", .value = "GLOB",
				.help = "show only functions whose name, source file or object matches;\n"
					"function:GLOB, file:GLOB and object:GLOB match one of these",
				OPTION_WORDS(struct arguments, filters)});
	if (shared & SHARE_NAMES)
		add_names(o);
	if (shared & SHARE_SEARCH)
		add_search(o);
	if (o->verb->formats)
		add_row(o,
			(struct option_row){"format", .value = "FORMAT", .help = "output format",
				OPTION_CHOICE(struct arguments, format),
				.choices = o->verb->formats});
	if (shared & SHARE_OUTPUT)
		add_row(o,
			(struct option_row){"output", .letter = 'o', .value = "OUT",
				.help = "write to OUT, which is replaced when complete",
				OPTION_TEXT(struct arguments, output)});
	add_row(o,
		(struct option_row){"help", .letter = 'h', .help = "print this",
			OPTION_FLAG(struct arguments, help)});
}

static void *own_values(const struct verb *v)
{
	char *own = NEW_ARRAY(char, v->own_size + 1);
	if (v->own_start)
		memcpy(own, v->own_start, v->own_size);
	return own;
}

static struct options make_options(const struct verb *v, struct arguments *a)
{
	struct options o = {.verb = v};
	void *own = own_values(v);
	a->own = own;
	for (const struct option_row *r = v->options; r && r->name; r++) {
		add_row(&o, *r);
		if (!r->into)
			o.v[o.n - 1].into = own;
	}
	size_t n = o.n;
	add_shared(&o);
	for (; n < o.n; n++)
		o.v[n].into = a;
	return o;
}

enum { HELP_COLUMN = 25, HELP_WIDTH = 90 };

/* Prints choices in lines that begin at column from and end before to; 0: in one line. */
static void put_choices(const char *const *choices, size_t from, size_t to, FILE *out)
{
	size_t at = from;
	for (size_t i = 0; choices[i]; i++) {
		const char *link = !i ? "" : choices[i + 1] ? ", " : " or ";
		size_t n = strlen(link) + strlen(choices[i]);
		if (to && at + n > to && i) {
			fprintf(out, "%s\n%*s", choices[i + 1] ? "," : "", (int)from, "");
			link = choices[i + 1] ? "" : "or ";
			at = from;
		}
		fprintf(out, "%s%s", link, choices[i]);
		at += n;
	}
}

static void put_row(const struct option_row *r, FILE *out)
{
	char letter[8] = "";
	if (r->letter)
		snprintf(letter, sizeof letter, "-%c, ", r->letter);
	int n = fprintf(out, "  %s--%s%s%s", letter, r->name, r->value ? "=" : "",
		r->value ? r->value : "");
	if (n > HELP_COLUMN - 2)
		n = fprintf(out, "\n") - 1;
	for (const char *s = r->help; *s; n = 0) {
		size_t line = strcspn(s, "\n");
		fprintf(out, "%*s%.*s", HELP_COLUMN - n, "", (int)line, s);
		s += line;
		s += *s == '\n';
		if (*s)
			fputc('\n', out);
	}
	if (r->choices) {
		fprintf(out, ":\n%*s", HELP_COLUMN, "");
		put_choices(r->choices, HELP_COLUMN, HELP_WIDTH, out);
	}
	fputc('\n', out);
}

static void put_help(const struct options *o, FILE *out)
{
	const struct verb *v = o->verb;
	const char *head = "usage:";
	for (const char *s = v->synopsis; *s; head = "      ") {
		size_t line = strcspn(s, "\n");
		fprintf(out, "%s ldxprof %s %.*s\n", head, v->name, (int)line, s);
		s += line;
		s += *s == '\n';
	}
	fprintf(out, "\n%c%s.\n", *v->summary & ~0x20, v->summary + 1);
	if (v->about)
		fputs(v->about, out);
	if ((v->shared & SHARE_RUN) == SHARE_RUN)
		fputs("\nPROG was linked by ldx; FILEs are profiles, by default that of PROG: "
		      "`ldxprof where'\nprints its name.  A profile in place of PROG stands for its "
		      "program.  The shared\nobjects linked by ldx that the program ran with are "
		      "included.\n",
			out);
	fputs("\noptions:\n", out);
	for (size_t i = 0; i < o->n; i++)
		put_row(&o->v[i], out);
}

void verb_help(const struct verb *v, FILE *out)
{
	struct arguments a = {.n = 0};
	struct options o = make_options(v, &a);
	put_help(&o, out);
}

static void complete_choices(const struct option_row *r, const char *value, FILE *out)
{
	for (const char *const *c = r->choices; c && *c; c++)
		if (!strncmp(*c, value, strlen(value)))
			fprintf(out, "--%s=%s\n", r->name, *c);
}

void verb_complete(const struct verb *v, const char *word, FILE *out)
{
	struct arguments a = {.n = 0};
	struct options o = make_options(v, &a);
	const char *name = word + strspn(word, "-"), *value = strchr(name, '=');
	size_t n = value ? (size_t)(value - name) : strlen(name);
	for (size_t i = 0; i < o.n && *word == '-'; i++) {
		const struct option_row *r = &o.v[i];
		if (strncmp(r->name, name, n))
			continue;
		if (value && !r->name[n])
			complete_choices(r, value + 1, out);
		else if (!value)
			fprintf(out, "--%s%s\t%.*s\n", r->name, r->value ? "=" : "",
				(int)strcspn(r->help, "\n"), r->help);
	}
}

/* The least number of letters to insert, remove or change (Levenshtein). */
static size_t distance(const char *a, const char *b)
{
	size_t row[64], n = strlen(b);
	if (n >= sizeof row / sizeof row[0])
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t corner = row[0]++;
		for (size_t j = 0; j < n; j++) {
			size_t change = corner + (a[i] != b[j]);
			size_t step = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
			corner = row[j + 1];
			row[j + 1] = change < step ? change : step;
		}
	}
	return row[n];
}

void near_try(struct near_word *n, const char *name)
{
	size_t d = distance(n->word, name), most = strlen(name) / 3 + 1;
	if (strlen(n->word) > 1 && !strncmp(n->word, name, strlen(n->word)))
		d = 1;
	if (d <= most && (!n->best || d < n->distance)) {
		n->best = name;
		n->distance = d;
	}
}

const char *near_text(const struct near_word *n, const char *before)
{
	return n->best ? new_string("; did you mean %s%s?", before, n->best) : "";
}

static noreturn void bad_choice(const struct option_row *r, const char *value)
{
	char *text = NULL;
	size_t size;
	struct near_word near = {.word = value};
	FILE *f = open_memstream(&text, &size);
	if (f)
		put_choices(r->choices, 0, 0, f);
	if (!f || fclose(f))
		die("out of memory");
	for (size_t i = 0; r->choices[i]; i++)
		near_try(&near, r->choices[i]);
	die("--%s=%s: no such choice: it is %s%s", r->name, value, text, near_text(&near, ""));
}

static int choose(const struct option_row *r, const char *value)
{
	for (int i = 0; r->choices[i]; i++)
		if (!strcmp(r->choices[i], value))
			return i;
	bad_choice(r, value);
}

static uint64_t number(const struct option_row *r, const char *s)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(s, &end, 10);
	if (errno || *end || *s < '0' || *s > '9')
		die("--%s=%s: not a number", r->name, s);
	return n;
}

static double percent(const struct option_row *r, const char *s)
{
	char *end;
	double n = strtod(s, &end);
	end += *end == '%';
	if (*end || !(n >= 0 && n <= 1e6) || *s < '0' || *s > '9')
		die("--%s=%s: not a percentage", r->name, s);
	return n;
}

static void add_word(struct words *w, char *word)
{
	w->v = realloc(w->v, (w->n + 1) * sizeof *w->v);
	if (!w->v)
		die("out of memory");
	w->v[w->n++] = word;
}

static void take(const struct option_row *r, char *value)
{
	void *to = (char *)r->into + r->at;
	switch (r->kind) {
	case KIND_FLAG: *(bool *)to = true; break;
	case KIND_TEXT: *(const char **)to = value; break;
	case KIND_WORDS: add_word(to, value); break;
	case KIND_NUMBER: *(uint64_t *)to = number(r, value); break;
	case KIND_PERCENT: *(double *)to = percent(r, value); break;
	case KIND_CHOICE: *(int *)to = choose(r, value); break;
	}
}

static noreturn void no_such_option(const struct options *o, const char *word)
{
	char *name = new_string("%s", word + strspn(word, "-"));
	struct near_word near = {.word = name};
	name[strcspn(name, "=")] = '\0';
	for (size_t i = 0; i < o->n; i++)
		near_try(&near, o->v[i].name);
	die("%s: no such option of %s%s; see ldxprof help %s", word, o->verb->name,
		near_text(&near, "--"), o->verb->name);
}

/* getopt_long(3) returns FIRST_ROW + i for row i: above all letters. */
enum { FIRST_ROW = 256 };

static const struct option_row *row_of(const struct options *o, int opt)
{
	for (size_t i = 0; i < o->n; i++)
		if (opt == FIRST_ROW + (int)i || (o->v[i].letter && opt == o->v[i].letter))
			return &o->v[i];
	return NULL;
}

static void parse(const struct options *o, int argc, char **argv)
{
	struct option long_options[sizeof o->v / sizeof o->v[0] + 1] = {{0}};
	char letters[2 * sizeof o->v / sizeof o->v[0] + 2] = ":", *end = letters + 1;
	int opt;
	for (size_t i = 0; i < o->n; i++) {
		const struct option_row *r = &o->v[i];
		long_options[i] = (struct option){r->name,
			r->value ? required_argument : no_argument, NULL, FIRST_ROW + (int)i};
		if (r->letter)
			end += sprintf(end, "%c%s", r->letter, r->value ? ":" : "");
	}
	opterr = 0;
	optind = 0;
	while ((opt = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		const struct option_row *r = row_of(o, opt == ':' || opt == '?' ? optopt : opt);
		if (!r)
			no_such_option(o, argv[optind - 1]);
		if (opt == ':')
			die("--%s: its value is missing: --%s=%s", r->name, r->name, r->value);
		if (opt == '?')
			die("--%s takes no value", r->name);
		take(r, optarg);
	}
}

static size_t find_width(const struct arguments *a)
{
	if (a->full_names)
		return 0;
	return a->width != WIDTH_UNSAID ? a->width : a->output ? 0 : terminal_width();
}

int verb_run(const struct verb *v, int argc, char **argv)
{
	struct arguments a = {.sort = SORT_UNSAID, .width = WIDTH_UNSAID, .view.top = TOP_UNSAID};
	if (v->choose && argc > 1 && *argv[1] != '-') {
		v = v->choose(argv[1]);
		argc--;
		argv++;
	}
	struct options o = make_options(v, &a);
	die_with(v->error ? v->error : 1);
	parse(&o, argc, argv);
	if (a.help) {
		put_help(&o, stdout);
		return 0;
	}
	a.v = argv + optind;
	a.n = argc - optind;
	objects_in(a.sysroot, a.objects.v, a.objects.n);
	a.view.width = find_width(&a);
	a.view.filter = filter_make(a.filters.v, a.filters.n);
	return v->run(&a);
}

void arguments_need(const struct arguments *a, const struct verb *v, int least, int most,
	const char *what)
{
	if (a->n < least || a->n > most)
		die("%s: %s See ldxprof help %s", v->name, what, v->name);
}

void run_open_words(struct run *r, char *const *words, int n)
{
	uint64_t build;
	const char *program = profile_program(words[0]), *found = NULL;
	int own = !program;
	if (program && profile_build(words[0], &build))
		found = object_of_build(program, build);
	run_open(r, found ? found : own ? words[0] : program, words + own, n - own);
}

void arguments_run(struct run *r, const struct arguments *a, const struct verb *v)
{
	arguments_need(a, v, 1, INT_MAX, "which program?");
	run_open_words(r, a->v, a->n);
	if (!v->sums)
		run_flows(r);
}

void run_open_side(struct run *r, const char *word)
{
	char *part[256], *rest = new_string("%s", word), *last = NULL;
	int n = 0;
	if (!access(word, F_OK))
		part[n++] = rest;
	else
		for (char *s = strtok_r(rest, ",", &last); s; s = strtok_r(NULL, ",", &last)) {
			if (n == sizeof part / sizeof part[0])
				die("%s: too many profiles", word);
			part[n++] = s;
		}
	run_open_words(r, part, n);
}
