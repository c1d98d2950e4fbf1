/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the parser of the linker's command line
 *
 * One table (options.tsv) describes every option of the four ELF linkers and of ldx.  The words of
 * the command line become items: an input file, or an option with its value.
 */
#ifndef LDX_LDWRAP_OPTIONS_H
#define LDX_LDWRAP_OPTIONS_H

#include "base/base.h"

/* The columns of options.tsv, whose head says what they mean. */
enum option_class {
	CLASS_in,
	CLASS_state,
	CLASS_path,
	CLASS_sel,
	CLASS_out,
	CLASS_lay,
	CLASS_rel,
	CLASS_rep1,
	CLASS_repF,
	CLASS_diag,
	CLASS_lto,
	CLASS_query,
	CLASS_run,
	CLASS_ign,
	CLASS_byp,
	CLASS_tgt,
	CLASS_ldx,
};
enum option_arg { ARG_none, ARG_req, ARG_opt, ARG_eq, ARG_join, ARG_rest };
enum option_lld { LLD_keep, LLD_drop, LLD_bare, LLD_sep, LLD_other };
enum { DASH_ONE = 1, DASH_TWO = 2 };

enum opt {
#define OPTION(id, name, dashes, arg, class, known, lld, same) OPT_##id,
#include "options.inc"
#undef OPTION
	OPT_FILE,    /* an input file; its value is the name */
	OPT_UNKNOWN, /* no linker knows it */
};

struct option {
	const char *name; /* "z:now" for -z now */
	uint8_t dashes, arg, class, lld;
	const char *known; /* letters: b GNU ld, g gold, l LLD, m mold */
	enum opt same;
};
extern const struct option option_table[OPT_FILE];

struct item {
	enum opt opt;	    /* the canonical name: never OPT_o, but OPT_output */
	enum opt written;   /* the name the user wrote, abbreviations expanded */
	enum opt keyword;   /* OPT_z: the row of its word, or OPT_UNKNOWN */
	const char *value;  /* or NULL */
	const char *raw[2]; /* as written; raw[1] is NULL if it is one word */
};

struct cmdline {
	VEC(struct item) items;
	VEC(const char *) words; /* the command line, @files expanded */
};

/* Reads the words of a command line behind argv[0].  Strings are borrowed or in the arena. */
void cmdline_parse(struct arena *a, struct cmdline *c, int argc, char **argv);

/* Parses a string of words, quoted as in an @file, that may only hold ldx's own options. */
void cmdline_parse_own(struct arena *a, struct cmdline *c, const char *text, const char *where);

/* The value of -T becomes the path of the file, which may be in a folder of -L. */
void scripts_find(struct arena *a, struct cmdline *c);

/* A folder of -L, in which = or $SYSROOT at the beginning stands for the value of --sysroot. */
const char *cmdline_folder(struct arena *a, const struct cmdline *c, const char *folder);

/* The first file with one of these names, up to NULL, folder by folder of -L; NULL: there is none.
 */
const char *cmdline_find(struct arena *a, const struct cmdline *c, const char *const *names);

/* The last value given for opt; NULL: there is none. */
const char *cmdline_value(const struct cmdline *c, enum opt opt);
bool cmdline_has(const struct cmdline *c, enum opt opt);

/* Is the word meant for ldx, but none of its options? */
bool item_is_misspelt(const struct item *it);

static inline enum option_class item_class(const struct item *it)
{
	return it->opt >= OPT_FILE ? CLASS_in : option_table[it->opt].class;
}

#endif
