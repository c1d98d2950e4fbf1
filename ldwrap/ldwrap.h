/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldwrap.h - the drop-in linker: from the user's command line to the output file
 *
 * A section for each file of this folder.  Options are in options.h, LLD behind
 * lld.h.
 */
#ifndef LDX_LDWRAP_LDWRAP_H
#define LDX_LDWRAP_LDWRAP_H

#include "instr/rewrite.h"
#include "ldwrap/options.h"

#include <sys/types.h>

typedef VEC(const char *) strings;

/* settings.c: ldx's own options ---------------------------------------- */

struct settings {
	bool off;	      /* --instrument=off */
	bool strict;	      /* what cannot be instrumented is an error */
	bool keep;	      /* leave the intermediate objects in keep_dir */
	const char *keep_dir; /* NULL: beside the output */
	const char *linker;   /* --ldx-linker; NULL: as called */
	const char *print;    /* --ldx-print; NULL */
	const char *log;      /* --ldx-log; NULL: standard error */
	struct rewrite_options rewrite;
	bool verify;		/* --ldx-verify */
};

/* From LDX_INSTRUMENT, LDX_OPTIONS and c; the later wins.  What is wrong is fatal(). */
void settings_read(struct arena *a, struct settings *s, const struct cmdline *c);

/* Where --ldx-stats, --ldx-time and --ldx-verify print, with a buffer as for setvbuf(). */
FILE *settings_log(const struct settings *s, int buffering);

/* child.c: work in a process of its own -------------------------------- */

struct child_result {
	int status;	     /* of its exit; 128 + the signal when one killed it */
	long peak;	     /* kB of memory it used at most */
	struct buf out, err; /* what it wrote to the two descriptors; NUL-terminated */
};

/* One that runs. */
struct child {
	pid_t pid;
	int fd[2];	/* what it writes comes from there: out, err */
	bool ended[2];	/* it has closed them */
	bool told;	/* to end */
	struct child_result *r;
};

/*
 * Calls fn(arg, out, err) in a forked child, which leaves with the status it returns.  In the child
 * fatal() and warn() write to err.  child_wait() fills *r.  A signal that ends ldx while it waits
 * ends the child first.
 */
void child_start(struct child *c, struct child_result *r, int (*fn)(void *arg, int out, int err),
	void *arg);
void child_wait(struct child *c);

/*
 * Waits until the child, which goes on, has closed a FIFO, to be read from fd without blocking;
 * text is what it wrote there, c->r->out all that it wrote before.  False: the child has ended.
 */
bool child_tells(struct child *c, int fd, struct buf *text);

/* child_start() and child_wait(). */
void child_run(struct child_result *r, int (*fn)(void *arg, int out, int err), void *arg);

/* Runs argv with descriptors 1 and 2 caught. */
void child_exec(struct child_result *r, const char *path, const char *const *argv);

/* The line where GNU ld or LLD begins to say that it has a bug, or NULL. */
const char *child_crash_text(const struct child_result *r);

/* When a signal killed it or it has crashed: what that means, in words; else NULL. */
const char *child_death(const struct child_result *r);

/*
 * Hold back the signals that end a program except in child_run(), so that
 * nothing is left behind.  signals_check() acts on one that has come.
 */
void signals_hold(void);
void signals_check(void);
void signals_release(void);

/* output.c: the output file and the directory for all else -------------- */

struct output {
	const char *path; /* as the user gave it */
	const char *dir;  /* of our own, where everything temporary is; NULL: none */
	bool in_place;	  /* written into, not replaced: a special file */
};

/*
 * Makes the directory: beside the output, where a file can be renamed to it, or
 * in TMPDIR.  False when the output cannot be made at all; the linker will say
 * why.  Removed when ldx leaves, however it does: a second process sees to that.
 */
bool output_open(struct arena *a, struct output *o, const char *path);

/* Makes file, in o->dir, the output. */
void output_install(const struct output *o, const char *file);

/* What is done with: if file is in o->dir it will be removed soon, while ldx goes on. */
void output_discard(const struct output *o, const char *file);

/* Copies those of the named files that are in o->dir to dir, for --ldx-keep. */
void output_keep(struct arena *a, const struct output *o, const char *dir, const char *const *names,
	size_t n);

/* Removes the directory, unless this is a forked child.  May be called at any time. */
void output_remove(void);

/* linker.c: finding and running linkers --------------------------------- */

enum linker_kind { LINKER_LLD, LINKER_BFD, LINKER_GOLD, LINKER_MOLD };

struct linker {
	enum linker_kind kind;
	const char *path; /* NULL: LLD, in process */
};

/* Where ldx itself is installed. */
struct place {
	const char *exe, *bindir, *libdir;
};

void place_find(struct arena *a, struct place *p);

/* Nothing this process starts is to be caught by ldx-run again. */
void place_forget_interception(const struct place *p);

struct link;

/* Sets l->linker from --ldx-linker or from the name ldx was called by.  It may be fatal(). */
void linker_wanted(struct link *l, const char *argv0);

/* The one that would make this link without ldx: GNU ld if it knows the options. */
struct linker linker_usual(struct link *l);

/* One of the wanted kind, or false. */
bool linker_find(
	struct arena *a, const struct place *p, enum linker_kind kind, struct linker *found);

/* Runs k with argv, whose first word is its name. */
void linker_run(struct link *l, const struct linker *k, strings *argv, struct child_result *r);

/* Starts LLD, in process; child_wait() waits for it. */
void linker_start(struct child *c, strings *argv, struct child_result *r);

/* Becomes the linker, with the user's own words.  Does not return. */
_Noreturn void linker_become(struct link *l, const struct linker *k);

/* LLD called under this name speaks as the command ld.lld does. */
#define LLD_NAME "ld.lld"

/* inputs.c: what the input files are ------------------------------------ */

enum file_kind {
	KIND_NONE, /* cannot be read */
	KIND_REL,  /* ELF: relocatable, */
	KIND_DYN,  /* shared, */
	KIND_ELF,  /* other */
	KIND_ARCHIVE,
	KIND_BITCODE,
	KIND_OTHER, /* a linker script, or data */
};

enum {
	TRAIT_GCC_LTO = 1, /* gcc's intermediate code, alone or beside machine code */
	TRAIT_EXEC_STACK = 2,
	TRAIT_SPLIT_STACK = 4,
	TRAIT_CTORS = 8, /* .ctors or .dtors, which LLD and mold never run */
	TRAIT_ZDEBUG = 16, /* .zdebug_*, which LLD does not read any more */
};

struct bytes {
	const uint8_t *p;
	size_t n;
};

enum file_kind file_kind(const char *path);
enum file_kind bytes_kind(struct bytes b);
bool file_map(const char *path, struct bytes *b); /* false: errno says why */
void file_unmap(struct bytes b);
bool bytes_write(int fd, struct bytes b);	   /* likewise */
bool file_write(const char *path, struct bytes b); /* likewise */

/* e_machine; 0 when it is no ELF.  *plain: 64 bits, little-endian. */
uint16_t elf_machine(struct bytes b, bool *plain);

/* TRAIT_* of a relocatable 64-bit object; damaged ones have fewer. */
unsigned object_traits(struct bytes b);
bool object_defines(struct bytes b, const char *symbol); /* as LLD prints its name */

/*
 * Gives a section of an ELF file another name of the same length (or the same, to
 * see whether it is there).  False when there is no such section.
 */
bool section_rename(const char *path, const char *from, const char *to);

/*
 * Appends an object to to, with sections that are compressed in the old way of GNU
 * (.zdebug_*) as they are in the standard's, SHF_COMPRESSED.
 */
void object_renew(struct buf *to, struct bytes b);

/* Makes the symbols a relocatable object defines hidden, in place. */
void object_hide(uint8_t *p, size_t n);

/* What is behind the last slash. */
const char *base_name(const char *path);

/* crt1.o, crtbegin.o and their like, which stay outside of what is rewritten. */
bool is_crt_file(const char *path);

/* archive.c: members of regular and thin archives ------------------------ */

struct member {
	const char *name;  /* as linkers trace it */
	struct bytes data; /* in the mapped archive, or of the file a thin one names */
	bool taken;
	uint32_t next;	   /* number, + 1, of the next one that has its base name; 0: none */
};
struct namesakes {
	uint32_t first; /* number, + 1, of the first one; when all in front of it are taken */
	uint32_t n;	/* how many there are */
};
struct archive {
	const char *path;
	struct bytes file; /* mapped */
	bool thin;
	VEC(struct member) members;
	struct strmap names;	    /* base name -> number in same, + 1 */
	VEC(struct namesakes) same; /* members of one base name */
};

/*
 * NULL when it is no archive or a damaged one.  Thin members that are gone have no data.  Names
 * are in a; the members and their data are there until archive_free(), which takes NULL too.
 */
struct archive *archive_open(struct arena *a, const char *path);
void archive_free(struct archive *ar);

/* An archive without a table of symbols, one member after the other.  False: errno says why. */
struct archive_out {
	int fd;
	uint64_t size;
};
bool archive_create(struct archive_out *o, const char *path);
bool archive_add(struct archive_out *o, const char *name, struct bytes data);
bool archive_close(struct archive_out *o);

/* script.c: linker scripts ------------------------------------------------ */

/*
 * Why the object files cannot be joined before a link with this script: it tells
 * them apart by name.  NULL when they can.
 */
const char *script_problem(struct arena *a, const char *path);

/* Adds to found what the script sets symbols to. */
void script_expressions(struct arena *a, const char *path, strings *found);

/*
 * For a link with the joined object: a script that names objects as inputs is written
 * to copy without them.  Returns copy, or path when there is nothing to leave out.
 */
const char *script_without_objects(struct arena *a, const char *path, const char *copy);

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
	struct place place;
	struct cmdline cmd;
	struct settings set;
	const struct platform *platform; /* what is linked runs on it; set by bypass() */
	struct linker linker; /* makes the reference and the output */
	bool chosen;	      /* by the user: by name or by --ldx-linker */
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
	bool alone;		/* a program that neither forks nor makes threads */
	unsigned traits;	/* TRAIT_* of all members */
	strings members;	/* objects and archives for the combining link, wholly taken */
	strings copied;		/* what the user calls those in archives of ours, by their number */
	unsigned copies;	/* archives COPIES* among them that were made, ever: each has a new name */
	const char *combined;	/* what the link has made of them; or NULL */
};

/* origins.c: which input a piece of the combined object is from ----------------- */

/*
 * Found when it is asked for, by combining l->members again with a map.  l->members must be there
 * until then.  For a process of its own, in which nothing else uses l meanwhile.
 */
void origins_of(struct link *l, struct origins *o);

/* Text of a linker, with the files of ours that it names as the user knows them. */
const char *origins_in_text(struct link *l, const char *text);

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

/* bypass.c: links that are not for ldx ---------------------------------------- */

/* Becomes the real linker when this is one; returns when ldx is to link. */
void bypass(struct link *l);

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
