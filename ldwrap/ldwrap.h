/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldwrap.h - the drop-in linker: from the user's command line to the output file
 *
 * A section for each file that works on a struct link.  What needs none has headers of
 * its own: settings.h, child.h, output.h, inputs.h, options.h, and LLD behind lld.h.
 */
#ifndef LDX_LDWRAP_LDWRAP_H
#define LDX_LDWRAP_LDWRAP_H

#include "ldwrap/child.h"
#include "ldwrap/inputs.h"
#include "ldwrap/options.h"
#include "ldwrap/output.h"
#include "ldwrap/settings.h"

/* linker.c: finding and running linkers --------------------------------- */

enum linker_kind { LINKER_LLD, LINKER_BFD, LINKER_GOLD, LINKER_MOLD };

struct linker {
	enum linker_kind kind;
	const char *path; /* NULL: LLD, in process */
};

/* Where ldx itself is installed. */
struct installation {
	const char *exe, *bindir, *libdir;
};

void installation_find(struct arena *a, struct installation *p);

/* Nothing this process starts is to be caught by ldx-run again. */
void forget_interception(const struct installation *p);

struct link;

/* Sets l->linker from --ldx-linker or from the name ldx was called by.  It may be fatal(). */
void linker_wanted(struct link *l, const char *argv0);

/* The one that would make this link without ldx: GNU ld if it knows the options. */
struct linker linker_usual(struct link *l);

/* One of the wanted kind, or false. */
bool linker_find(struct arena *a, const struct installation *p, enum linker_kind kind,
	struct linker *found);

/* Runs k with argv, whose first word is its name. */
void linker_run(struct link *l, const struct linker *k, strings *argv, struct child_result *r);

/* Starts LLD, in process; child_wait() waits for it. */
void linker_start(struct child *c, strings *argv, struct child_result *r);

/* Becomes the linker, with the user's own words.  Does not return. */
_Noreturn void linker_become(struct link *l, const struct linker *k);

/* LLD called under this name speaks as the command ld.lld does. */
#define LLD_NAME "ld.lld"

/* ltowrap.c: gcc's link-time optimizer ------------------------------------ */

/*
 * ldx called as `lto-wrapper' by GNU ld's plugin: runs the real one and keeps a
 * copy of the objects it makes.  Returns the exit status.
 */
int lto_wrapper_main(char **argv);
#define LTO_WRAPPER_NAME "lto-wrapper"
#define LTO_NAMES "-names" /* behind the prefix: the file with the names they had */

/* check.c: the proof that nothing a user of the output sees has changed ---- */

/* The first difference, in words; NULL when there is none. */
const char *check_same(struct arena *a, const char *reference, const char *output);

/* What the headers of a linked file say; nothing when they cannot be read. */
struct headers {
	uint64_t entry;
	bool interp;	   /* it names a dynamic linker */
	bool glibc;	   /* glibc's, for this machine */
	bool libc_only;	   /* it needs no other libraries than parts of glibc */
	bool moves;	   /* it is linked to be loaded anywhere */
	uint64_t end;	   /* of what is loaded */
	const char *stack; /* what -z says for the stack it asks for, or NULL */
};
void headers_read(const char *path, struct headers *h);

/* link.c: the links ------------------------------------------------------------ */

struct origins;
struct outside;
struct platform;

#define COPIES "members-" /* what the names of archives of members begin with */

struct link {
	struct arena arena;
	char **argv; /* as the user wrote them */
	struct installation ldx;
	struct cmdline cmd;
	struct settings set;
	const struct platform *platform; /* what is linked runs on it; set by bypass() */
	struct linker linker;		 /* makes the reference and the output */
	bool chosen;			 /* by the user: by name or by --ldx-linker */
	struct output out;
	const char *ref;	/* the reference output */
	const char *trace;	/* what its linker has read */
	struct headers headers; /* its */
	bool ambiguous;		/* the trace does not tell which members were taken */
	bool want_reasons;	/* GNU ld or gold is to say why it takes members */
	const char *why;	/* --why-extract of the reference link, a FIFO where that can be */
	const char *lto;	/* prefix of objects made by LTO */
	bool capture_lto;	/* keep what gcc's lto-wrapper makes */
	bool exec_stack;	/* an input asks for it */
	bool new_entry;		/* the runtime is entered first, and goes on to the program's */
	bool shared;		/* the output is a shared library */
	bool single_thread;	/* a program that neither forks nor makes threads */
	bool controls;		/* what controls its counters is to be linked: runtime/ldx.h */
	unsigned traits;	/* TRAIT_* of all members */
	strings members;	/* objects and archives for the combining link, wholly taken */
	strings copied;		/* what the user calls those in archives of ours, by their number */
	unsigned copies; /* archives COPIES* among them that were made, ever: each has a new name */
	const char *combined; /* what the link has made of them; or NULL */
};

/* Combines l->members, unless that is done.  Returns why it cannot, or NULL. */
const char *combine(struct link *l);

/*
 * Combines l->members, rewrites them, links the output and checks it.  Returns why
 * there is none, or NULL.
 */
const char *instrument(struct link *l, const char *output);

/* Where the output cannot be made, the linker is to say so.  Returns its status. */
int link_plain(struct link *l);

/* Says why the reference is all there is: a warning, or the end. */
void fall_back(struct link *l, const char *problem);

/* --ldx-keep */
void keep_files(struct link *l);

/* The path of a file in the directory for temporary files. */
const char *in_dir(struct link *l, const char *name);

/* Prints text with the temporary name of the output replaced by the user's. */
void print_text(const struct link *l, const char *text, FILE *f);

/* Why a step failed: the first line of what it said, without `ldx: error: '. */
const char *step_failure(struct link *l, const char *step, const struct child_result *r);

/* Passes on what a failed link said; returns its status. */
int link_failed(struct link *l, const struct child_result *r);

/* origins.c: which input a piece of the combined object is from ----------------- */

/*
 * Found when it is asked for, by combining l->members again with a map.  l->members must be there
 * until then.  For a process of its own, in which nothing else uses l meanwhile.
 */
void origins_of(struct link *l, struct origins *o);

/* Text of a linker, with the files of ours that it names as the user knows them. */
const char *origins_in_text(struct link *l, const char *text);

/* bypass.c: links that are not for ldx ---------------------------------------- */

/* Becomes the real linker when this is one; returns when ldx is to link. */
void bypass(struct link *l);

/* profile.c: an earlier profile -------------------------------------------------- */

/* Reads the counts that --ldx-use-profile names; fatal() when they cannot be had. */
void take_profile(struct link *l);

/* reference.c: the user's link, as it would be without ldx ---------------------- */

/* When l->linker is LLD, and LLD cannot make this link, sets it to one that can. */
void linker_able(struct link *l);

/*
 * Makes l->ref and fills l->members.  Returns the status of the link; *problem says
 * why the reference is all there will be, or is NULL.
 */
int make_reference(struct link *l, const char **problem);

/* members.c: which objects a link has taken ------------------------------- */

/* TRAIT_* of an object of this link, which become l's too. */
unsigned add_traits(struct link *l, struct bytes object);

/*
 * Fills l->members from the trace of the reference link, and what --why-extract says; NULL: that
 * is in the file l->why.  Returns why it cannot, or NULL.
 */
const char *members_find(struct link *l, const char *trace, const struct buf *why);

/* Does this part of a trace name objects? */
bool members_named(struct link *l, const char *trace);

/* Prints what a link wrote but for the trace, which only ldx asked for. */
void members_print_rest(struct link *l, const char *trace);

/* emit.c: command lines for the passes ------------------------------------- */

enum pass { PASS_PLAIN, PASS_REFERENCE, PASS_FINAL };

/* What gcc's plugin is told to run, or NULL: then there is no plugin. */
const char *gcc_lto_wrapper(const struct cmdline *c);

/* The user's line for a pass; PASS_FINAL puts the words of replacement where objects stood. */
void emit_line(struct link *l, enum pass pass, const char *output, const strings *replacement,
	strings *argv);
void emit_combine(struct link *l, const char *output, strings *argv);

/* libraries.c: what is known of the shared libraries that the output needs --- */

/* By l->ref, l->trace and those that these name. */
void libraries_read(struct link *l, struct outside *known);

/* query.c: --version, --help and other questions --------------------------- */

/* Answers the questions on the command line.  True when that was all there is to do. */
bool query_answer(struct link *l);

#endif
