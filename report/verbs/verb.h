/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb.h - the verbs of ldxprof, and the options that they share
 *
 * A verb is a file in report/verbs/ that defines a struct verb, and a line in verbs.h.  The struct
 * describes its help and the options that it accepts.
 */
#ifndef LDX_REPORT_VERB_H
#define LDX_REPORT_VERB_H

#include "report/read/program.h"
#include "report/figures/views.h"

#include <stddef.h>

/* The values of an option that may be given several times. */
struct words {
	char **v;
	size_t n;
};

enum option_kind {
	KIND_FLAG,    /* bool */
	KIND_TEXT,    /* const char * */
	KIND_WORDS,   /* struct words: it may be given several times */
	KIND_NUMBER,  /* uint64_t */
	KIND_PERCENT, /* double */
	KIND_CHOICE,  /* int: index in choices */
};

/* An option of a verb.  Its kind and place are a macro's below. */
struct option_row {
	const char *name;	    /* without dashes */
	char letter;		    /* its short form, or 0 */
	const char *value;	    /* the name of its value in the help; NULL: it takes none */
	const char *help;	    /* lower case, no full stop; a newline begins another line */
	const char *const *choices; /* of KIND_CHOICE; they end with NULL */
	enum option_kind kind;
	size_t at;  /* where its value is stored: so many bytes behind into */
	void *into; /* NULL: arguments.own */
};

/* The value is a member of a struct; what has another type than the kind's is an error. */
#define OPTION_PLACE(number, ctype, type, member)                                                  \
	.kind = (number),                                                                          \
	.at = offsetof(type, member) + 0 * sizeof(&((type *)NULL)->member == (ctype *)NULL)
#define OPTION_FLAG(type, member) OPTION_PLACE(KIND_FLAG, bool, type, member)
#define OPTION_TEXT(type, member) OPTION_PLACE(KIND_TEXT, const char *, type, member)
#define OPTION_WORDS(type, member) OPTION_PLACE(KIND_WORDS, struct words, type, member)
#define OPTION_NUMBER(type, member) OPTION_PLACE(KIND_NUMBER, uint64_t, type, member)
#define OPTION_PERCENT(type, member) OPTION_PLACE(KIND_PERCENT, double, type, member)
#define OPTION_CHOICE(type, member) OPTION_PLACE(KIND_CHOICE, int, type, member)

/* Options that are the same for several verbs, each a bit of verb.shared. */
enum {
	SHARE_OUTPUT = 1,	       /* -o */
	SHARE_NAMES = 2,	       /* --no-demangle, --full-names, --width */
	SHARE_TOP = 4,		       /* --top */
	SHARE_FILTER = 8,	       /* --filter */
	SHARE_SEARCH = 16,	       /* --sysroot, --object */
	SHARE_RUN = 32 | SHARE_SEARCH, /* its arguments are PROG [FILE...]: see arguments_run() */
};

/* The command line of a verb. */
struct arguments {
	char **v; /* arguments that are no options, behind the verb */
	int n;
	const char *output; /* NULL: standard output */
	int format;	    /* index in the verb's formats; the first by default */
	int sort;	    /* index in the verb's sorts, or SORT_UNSAID */
	struct view_options view;
	struct words filters; /* as given */
	const char *sysroot;
	struct words objects;
	uint64_t width;
	bool full_names;
	bool help;	 /* only print the help */
	const void *own; /* values of the verb's own options: see verb.own_size */
};
enum { SORT_UNSAID = -1 };

struct verb {
	const char *name;
	const char *summary;  /* what it does: one line, lower case, no full stop */
	const char *synopsis; /* the text behind `ldxprof NAME', a form on each line */
	const char *about;    /* sentences for its help; NULL: none */
	unsigned shared;      /* SHARE_* */
	const char *const *formats, *const *sorts; /* of --format and --sort; NULL: not its own */
	const struct option_row *options;	   /* its own, the last without a name; or NULL */
	size_t own_size;			   /* of the struct with their values */
	const void *own_start;			   /* what these are when not given; NULL: zeros */
	const struct verb *(*choose)(const char *word); /* the verb that it is with this word, which
							   is no option, behind it; or NULL */
	int error;					/* exit status of errors; 0: 1 */
	bool sums; /* needs sums over functions only, or calls program_flow() for more */
	int (*run)(const struct arguments *a); /* returns the exit status */
};

/* Print the verb's help. */
void verb_help(const struct verb *v, FILE *out);

/*
 * Print the completions of a word: the verb's options, or the choices of one, as --NAME or --NAME=,
 * one on a line; behind a tab, a description.  Prints nothing where any file may be named.
 */
void verb_complete(const struct verb *v, const char *word, FILE *out);

/* Run it; argv[0] is its name. */
int verb_run(const struct verb *v, int argc, char **argv);

/* die() unless there are least to most arguments; what: a question that asks for them. */
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
