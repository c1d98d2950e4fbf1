/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb.h - the verbs of ldxprof, and the options that they share
 *
 * A verb is a file in report/verbs/ that defines a struct verb, and a line in verbs.h.  What it
 * says of itself there is its help, and what it accepts.
 */
#ifndef LDX_REPORT_VERB_H
#define LDX_REPORT_VERB_H

#include "report/program.h"
#include "report/views.h"

/* Words that an option was given, one for each time. */
struct words {
	char **v;
	size_t n;
};

/*
 * An option of a verb.  The one pointer that is not NULL says where its value goes and what kind of
 * value it is.
 */
struct option_row {
	const char *name;  /* without dashes */
	char letter;	   /* its short form, or 0 */
	const char *value; /* what help calls its value; NULL: it takes none */
	const char *help;  /* lower case, no full stop; a newline begins another line */
	bool *flag;
	const char **text;
	struct words *words;
	uint64_t *number;
	double *percent;
	int *choice; /* its number in choices, which end with NULL */
	const char *const *choices;
};

/* Options that are the same for several verbs, each a bit of verb.shared. */
enum {
	SHARE_OUTPUT = 1,	       /* -o */
	SHARE_NAMES = 2,	       /* --no-demangle, --full-names, --width */
	SHARE_TOP = 4,		       /* --top */
	SHARE_FILTER = 8,	       /* --filter */
	SHARE_SEARCH = 16,	       /* --sysroot, --object */
	SHARE_RUN = 32 | SHARE_SEARCH, /* its arguments are PROG [FILE...]: see arguments_run() */
};

/* What was said on the command line. */
struct arguments {
	char **v; /* what is no option, behind the verb */
	int n;
	const char *output; /* NULL: standard output */
	int format;	    /* its number in the verb's formats: the first unless one is given */
	int sort;	    /* its number in the verb's sorts; SORT_UNSAID */
	struct view_options view;
	struct words filters; /* as given */
	const char *sysroot;
	struct words objects;
	uint64_t width;
	bool full_names;
	bool help; /* instead of all else */
};
enum { SORT_UNSAID = -1 };

struct verb {
	const char *name;
	const char *summary;  /* what it does: one line, lower case, no full stop */
	const char *synopsis; /* what stands behind `ldxprof NAME', a form on each line */
	const char *about;    /* sentences for its help; NULL: none */
	unsigned shared;      /* SHARE_* */
	const char *const *formats, *const *sorts; /* of --format and --sort; NULL: not its own */
	const struct option_row *options;	   /* its own, the last without a name; or NULL */
	int error;				   /* exit status of errors; 0: 1 */
	int (*run)(const struct arguments *a);	   /* returns the exit status */
};

/* Print the verb's help. */
void verb_help(const struct verb *v, FILE *out);

/*
 * Print what the word may become: the verb's options, or the choices of one, as --NAME or --NAME=,
 * a line each; behind a tab, what it is.  Nothing where any file may stand.
 */
void verb_complete(const struct verb *v, const char *word, FILE *out);

/* Run it; argv[0] is its name. */
int verb_run(const struct verb *v, int argc, char **argv);

/* die() unless there are that many arguments; what: a question for what is missing. */
void arguments_need(const struct arguments *a, const struct verb *v, int least, int most,
	const char *what);

/* The run that the arguments name: PROG [FILE...], where a profile stands for its program. */
void arguments_run(struct run *r, const struct arguments *a, const struct verb *v);
void run_open_words(struct run *r, char *const *words, int n);

/* One of two runs: PROG, a profile, or PROG,FILE...: a file whose name has commas is that file. */
void run_open_side(struct run *r, const char *word);

/* "; did you mean X?" for a word that is like one of the names, else "". */
struct near_word {
	const char *word, *best;
	size_t distance;
};
void near_try(struct near_word *n, const char *name);
const char *near_text(const struct near_word *n, const char *before);

#endif
