/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldwrap.h - the drop-in linker: from the user's command line to the output file
 *
 * A section for each file that works on a struct link.  Files that need none have headers of their
 * own: settings.h, child.h, output.h, inputs.h, options.h, and lld.h for LLD.
 */
#ifndef LDX_LDWRAP_LDWRAP_H
#define LDX_LDWRAP_LDWRAP_H

#include "ldwrap/child.h"
#include "ldwrap/inputs.h"
#include "ldwrap/options.h"
#include "ldwrap/output.h"
#include "ldwrap/settings.h"

/* find.c, linker.c: finding and running linkers ------------------------- */

enum linker_kind { LINKER_LLD, LINKER_BFD, LINKER_GOLD, LINKER_MOLD };

struct linker {
	enum linker_kind kind;
	const char *path; /* NULL: LLD, in process */
};

/* GNU ld or gold, which have much in common? */
static inline bool is_binutils(const struct linker *k)
{
	return k->kind == LINKER_BFD || k->kind == LINKER_GOLD;
}

/* Where ldx itself is installed. */
struct installation {
	const char *exe;      /* the file that runs */
	const char *tools;    /* the folder of ldxprof */
	const char *bindir;   /* the folder of ld and the like */
	const char *libdir;   /* the folder of the runtime */
	const char *replaced; /* what ldx has started as a linker, above this process; or NULL */
};

void installation_find(struct arena *a, struct installation *p);

/* Removes ldx-run's interception from the environment of processes that ldx starts. */
void forget_interception(const struct installation *p);

struct link;

/*
 * Sets l->linker to the linker that ldx replaces: that of --ldx-linker, or of the name ldx was
 * called by, or GNU ld.  It may be fatal().
 */
void linker_wanted(struct link *l, const char *argv0);

/* Finds a linker of this kind.  False: there is none. */
bool linker_find(struct link *l, enum linker_kind kind, struct linker *found);

/* Runs k with argv, whose first word is its name. */
void linker_run(struct link *l, const struct linker *k, strings *argv, struct child_result *r);

/*
 * Starts k; child_wait() waits for it.  argv must live until then.  lines: see child_start_exec().
 */
void linker_start(struct link *l, struct child *c, const struct linker *k, strings *argv,
	bool lines, struct child_result *r);

/* Has k ended because it needs LLVM?  Then it is to be started again, and is LLD with LLVM. */
bool linker_lacks_llvm(struct link *l, const struct linker *k, const struct child_result *r);

/* Executes the linker with the user's own arguments.  Does not return. */
_Noreturn void linker_become(struct link *l, const struct linker *k);

/* Called by this name, LLD prints messages like the command ld.lld. */
#define LLD_NAME "ld.lld"

/* The linker of this name (ld, bfd and the like) or path, or fatal(). */
struct linker linker_named(struct link *link, const char *name);

/*
 * The linker that would have run if ldx were not there, for a command called argv0: the file that
 * ldx-run has intercepted, or what the compiler or a search in PATH would have found.  False: none.
 */
bool linker_replaced(struct link *l, const char *argv0, struct linker *found);

/* Does the name that ldx is called by say which kind of linker is wanted? */
bool linker_named_by(const char *argv0);

/* To be called before k is started: an ldx that it starts will not take it for a linker again. */
void linker_tell(struct link *l, const struct linker *k);

/* ltowrap.c: gcc's link-time optimizer ------------------------------------ */

/*
 * ldx called as `lto-wrapper' by GNU ld's plugin: runs the real one and keeps a
 * copy of the objects it makes.  Returns the exit status.
 */
int lto_wrapper_main(char **argv);
#define LTO_WRAPPER_NAME "lto-wrapper"
#define LTO_NAMES "-names" /* suffix of the prefix: the file with their original names */

/* check.c: is the output the same program? --------------------------------- */

/*
 * The first difference, in words; NULL: there is none.  runtime: the output has ldx's runtime, and
 * may have what that adds; row: also thread-local words by which it finds its counters.
 */
const char *check_same(struct arena *a, const char *reference, const char *output, bool runtime,
	bool row);
/* Appends all differences.  False: a file cannot be read. */
bool check_all(struct arena *a, const char *reference, const char *output, bool runtime, bool row,
	strings *said);

/* headers.c: what the links must know of the reference --------------------- */

/* Facts from the headers of a linked file; all 0 if they cannot be read. */
struct headers {
	bool elf;	    /* it is an ELF file */
	bool code;	    /* some of it is executable */
	bool code_writable; /* some of that can be written */
	uint64_t entry;
	uint32_t flags;	   /* e_flags */
	bool interp;	   /* it names a dynamic linker */
	bool dynamic;	   /* and has something for it */
	bool glibc;	   /* glibc's, for this machine */
	bool moves;	   /* it is position-independent */
	uint64_t end;	   /* of the loaded segments */
	const char *stack; /* the word of -z for the stack it asks for, or NULL */
};
void headers_read(const char *path, struct headers *h);

/* link.c: the links ------------------------------------------------------------ */

struct origins;
struct outside;
struct platform;

#define COPIES "members-" /* prefix of the names of our archives of members */

struct link {
	struct arena arena;
	char **argv; /* as the user wrote them */
	struct installation ldx;
	struct cmdline cmd;
	struct settings set;
	const struct platform *platform; /* on which the output runs; NULL: not known */
	struct linker linker;		 /* makes the links */
	enum linker_kind replaced;
	bool llvm; /* a link of ours has bitcode */
	struct output out;
	const char *ref;	 /* the reference output */
	const char *trace;	 /* the trace of the files its linker has read */
	struct headers headers;	 /* its headers */
	bool ambiguous;		 /* the trace does not say which members were taken */
	bool want_reasons;	 /* the linker must say why it takes members, */
	const char *why;	 /* in this file: its map, or that of --why-extract */
	const char *lto;	 /* prefix of objects made by LTO */
	const char *made;	 /* prefix of those to link; NULL: lto */
	bool capture_lto;	 /* keep the objects that gcc's lto-wrapper makes */
	bool whole;		 /* the reference has debug information */
	bool strips_later;	 /* the last link removes nothing: strip(1) does so behind it */
	bool settled;		 /* the last link is told which libraries are needed */
	bool new_entry;		 /* the runtime is the entry point, and jumps to the program's */
	bool shared;		 /* the output is a shared library */
	bool turned;		 /* a library whose counters are ACCESS_TURNED */
	bool words;		 /* a program that finds its counters by thread-local words */
	bool rows;		 /* and whose threads have their own */
	bool single_thread;	 /* a program that neither forks nor makes threads */
	bool controls;		 /* link the functions of runtime/ldx.h */
	bool events;		 /* and runtime/events.c */
	unsigned traits;	 /* TRAIT_* of all members */
	strings wrapped;	 /* the symbols of --wrap */
	strings large;		 /* names of large common symbols that LLD takes for common ones */
	strings members;	 /* objects and archives for the combining link, taken as a whole */
	strings copied;		 /* the user's names of members of our archives, by number */
	unsigned copies;	 /* number of archives COPIES* made so far: each has a new name */
	const char *combined;	 /* the object that combines the members; or NULL */
	const char *rewritten;	 /* the same, rewritten; or NULL */
	const char *said;	 /* messages of rewriting */
	const char *reported;	 /* what the last link says of the output */
	struct outside *outside; /* facts about the shared libraries that the output needs */
	struct strmap scanned;	 /* libraries.c: by path, whether a library's code was examined */
	strings read;		 /* files that only ldx has read, except response files */
};

/* Combines l->members, unless that is done.  Returns why it cannot, or NULL. */
const char *combine(struct link *l);

/*
 * Rewrites l->combined as l->rewritten, by l->headers and l->outside.  Returns why it cannot, or
 * NULL.
 */
const char *rewrite(struct link *l);

/*
 * Combines l->members and rewrites them, unless that is done, links the output and checks it.
 * Returns why it cannot, or NULL.
 */
const char *instrument(struct link *l, const char *output);

/* Where the counters of the output are to be. */
enum cells choose_cells(const struct link *l);

/* Does the command line name a start file of the C library or the compiler? */
bool has_crt_file(const struct link *l);

/*
 * Are _init and _fini, to which the runtime adds code, called when the program begins and ends?  A
 * C library that starts the program does so; a user's script may leave them out.
 */
bool has_start_files(const struct link *l);

/* Is what the runtime adds to the end of the program called? */
bool tells_end(const struct link *l);

/* Runs the plain link where the output cannot be made, for its messages.  Returns its status. */
int link_plain(struct link *l);

/*
 * Says why the output is not instrumented, unless problem is NULL: then nothing is missing.  Makes
 * the plain link as output, and returns its status.
 */
int fall_back(struct link *l, const char *problem, const char *output);

/* --ldx-keep */
void keep_files(struct link *l);

/*
 * Does the output depend on its name?  LLD, gold and mold write the name of an output without
 * soname into its version definitions, so they make it where the user wants it; behind each link
 * output_take() makes it file.
 */
bool output_matters(const struct link *l);
void output_take(const struct link *l, const char *file);

/* The path of a file in the directory for temporary files. */
const char *in_dir(struct link *l, const char *name);

/* Prints text with the temporary name of the output replaced by the user's. */
void print_text(const struct link *l, const char *text, FILE *f);

/* The first line of messages that is called an error; else the first one that is about it. */
const char *first_reason(const char *text);

/* Why a step failed: the first line of its messages, without `ldx: error: '. */
const char *step_failure(struct link *l, const char *step, const struct child_result *r);

/* Prints the messages of a failed link; returns its status. */
int link_failed(struct link *l, const struct child_result *r);

/* origins.c: which input a piece of the combined object is from ----------------- */

/*
 * The origins are computed on demand, by combining l->members again with a map; so l->members must
 * exist until then.  Call it in a process of its own, in which nothing else uses l.
 */
void origins_of(struct link *l, struct origins *o);

/* A linker's text, with the user's names in place of our temporary files. */
const char *origins_in_text(struct link *l, const char *text);

/* bypass.c: links that are not for ldx ---------------------------------------- */

/* Sets l->platform; NULL: ldx does not know it. */
void platform_choose(struct link *l);
/* Executes the real linker if the link is such; returns if ldx is to link. */
void bypass(struct link *l);

/* profile.c: an earlier profile -------------------------------------------------- */

/* Reads the counts of the file that --ldx-use-profile names; fatal() if that fails. */
void take_profile(struct link *l);

/* reference.c: the user's link, as it would be without ldx ---------------------- */

/*
 * Makes l->ref and fills l->members.  Returns the status of the link; *problem is NULL, or says why
 * the output cannot be instrumented.
 */
int make_reference(struct link *l, const char **problem);

/* depfile.c: --dependency-file --------------------------------------------- */

/* Makes it name the user's output, and adds the files in l->read. */
void depfile_complete(struct link *l);

/* members.c: which objects a link has taken ------------------------------- */

/* The TRAIT_* of an object of this link, which are added to l's. */
unsigned add_traits(struct link *l, struct bytes object);

/*
 * Fills l->members from the trace of the reference link, and what it has written to l->why if it
 * was asked to.  Returns why it cannot, or NULL.
 */
const char *members_find(struct link *l, const char *trace);

/* Does this part of a trace name objects? */
bool members_named(struct link *l, const char *trace);

/* Prints the output of a link without the trace, which only ldx asked for. */
void members_print_rest(struct link *l, const char *trace);

/* tools.c: packages of tools --------------------------------------------------------- */

/* Finds the tools of the settings, and writes their parts to files of this link. */
void tools_open(struct link *l);

/* final.c: the last link ------------------------------------------------------------ */

/* Links object, and the runtime, as output.  Returns why it cannot, or NULL. */
const char *final_link(struct link *l, const char *object, const char *output);

/* adapt.c: what the objects of the last link say of the program ------------------- */

/*
 * Makes an object say of the stack, of the program's properties and of its source what l->ref says:
 * a copy, to, is made, or from changed if it is to, if it says something else.  Returns the one
 * that does; NULL: it cannot be written.
 */
const char *adapt_object(struct link *l, const char *from, const char *to);

/* Takes the marks of joined objects from the symbols of the output, if l->ref has none. */
void adapt_symbols(struct link *l, const char *output);

/*
 * Makes a library's object refer to hidden symbols that it does not define as often as GNU ld must
 * see that to export what l->ref exports of them.  False: the object cannot be changed.
 */
bool adapt_references(struct link *l, const char *object);
/* Hides what an object defines and is not visible in l->ref.  False: it cannot be changed. */
bool adapt_visibility(struct link *l, const char *object);

/* emit.c: command lines for the passes ------------------------------------- */

enum pass {
	PASS_PLAIN,	/* the user's link */
	PASS_REFERENCE, /* the same, traced, and without debug information */
	PASS_FINAL,
};

/* The program that gcc's plugin is told to run, or NULL: there is no plugin. */
const char *gcc_lto_wrapper(const struct cmdline *c);

/* Is it no error that two objects define a symbol? */
bool may_define_again(const struct link *l);

/* The file that -Map names; NULL: none. */
const char *map_file(struct link *l);

/* The user's line for a pass; PASS_FINAL puts the words of replacement in place of the objects. */
void emit_line(struct link *l, enum pass pass, const char *output, const strings *replacement,
	strings *argv);
void emit_combine(struct link *l, const char *output, strings *argv);

/* libraries.c: facts about the shared libraries that the output needs --- */

/*
 * A library of the command line, for the last link: GNU ld decides by the objects in front of it
 * whether it is needed, but then all of them are in front.
 */
enum need { NEED_UNKNOWN, NEED_NO, NEED_YES };
enum need library_need(struct link *l, const struct item *it);

/*
 * DT_DEPAUDIT of the reference, or NULL.  GNU ld collects it from all libraries of the command
 * line, also from those that are not needed.
 */
const char *depaudit(struct link *l);

/*
 * Sets l->outside by the libraries that l->ref and l->trace name, and those that they need.  Adds
 * the latter to l->read.
 */
void libraries_read(struct link *l);

/* Examines the code of the libraries in a trace, so that libraries_read() need not. */
void libraries_scan(struct link *l, const char *trace);

/* query.c: --version, --help and other questions --------------------------- */

/* Answers the questions on the command line.  True: there is nothing else to do. */
bool query_answer(struct link *l);

#endif
