/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rt.h - what the files of the runtime share
 *
 * The runtime runs before the program's own start code, before a static PIE has
 * relocated itself, and in forked children.  So: no libc, no thread-local
 * storage, no pointer in initialised data, all references relative to the
 * instruction, little stack.  It prints nothing unless asked, and if it cannot
 * work, the program runs on without counting.
 *
 *	exe.c, so.c	the start of a program, and of a shared object
 *	begins.S	called before a static program enters main
 *	ends.S		called when a program leaves main
 *	early.c		memory for a program's counters outside its image
 *	name.c		the name of the profile
 *	log.c		the log file LDX_PROFILE_LOG
 *	slot.c		the file: its slots and locks
 *	profile.c	a slot in place of the counters
 *	atfork.c	forks: asks a shared libc to report them; the child
 *	rules.c		how data of tools are merged
 *	threads.c	counters for each thread; joint.h
 *	one-row.c	in place of threads.c: all threads share the counters
 *	turn.c		with one-row.c: counters are plain until a second thread comes; bases.h
 *	no-turn.c	in place of turn.c: they stay as they are
 *	events.c	routines of tools that are called when something happens to the process
 *	control.c	the program dumps, resets, stops and starts its counters
 *	no-control.c	in place of control.c: it does not
 *
 * Each ldxrt-*.c is a complete runtime in one compilation unit, of the files it needs.
 */
#ifndef LDX_RUNTIME_RT_H
#define LDX_RUNTIME_RT_H

#include "runtime/abi.h"
#include "runtime/sys.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

enum { RT_PATH = LDX_PATH };

/* For symbols that assembly refers to, which the compiler of a complete runtime does not see. */
#if defined __has_attribute && __has_attribute(externally_visible)
#define RT_ENTRY __attribute__((externally_visible))
#else
#define RT_ENTRY
#endif

#pragma GCC visibility push(hidden)

/* Defined by the rewriter. */
extern const struct ldx_info __ldx_info;

/*
 * What the start code found.  Each pointer may be NULL, and is used only
 * during __ldx_begin().
 */
struct rt_start {
	const char *file;    /* the value of LDX_PROFILE_FILE */
	const char *log;     /* of LDX_PROFILE_LOG */
	const char *test;    /* of LDX_TEST */
	const char *own;     /* path of the program, if /proc cannot tell */
	const char *command; /* the arguments, each ended by a NUL */
	size_t command_size;
	const ElfW(Phdr) * phdr; /* of the executable */
	size_t phnum;
	uint64_t hwcap2;	  /* of the processor */
	uintptr_t random, loader; /* random bytes on the stack; for a shared object: ld.so */
	void *dso;		  /* a shared object's handle for handlers; NULL in a program */
	const struct ldx_entry *entry; /* in front of the program's entry point, if it counts */
};

/* The target of a relative address in the formats of abi.h. */
static inline const void *rt_at(const int64_t *relative)
{
	return (const char *)relative + (SYS_DISTANCE)*relative;
}

/*
 * Tell tools of an event, LDX_AT_*, if they want to know: events.c is linked only then.
 * s: when the process begins.
 */
typedef void rt_event(uint64_t event, const struct rt_start *s);
static inline void rt_tell(uint64_t event, const struct rt_start *s)
{
	if (__ldx_info.events)
		((rt_event *)(uintptr_t)rt_at(&__ldx_info.events))(event, s);
}

/* Map memory at the address of the counters.  Only the first call has an effect. */
RT_ENTRY void __ldx_early(void);
/*
 * The distance from the program's cells to those of the thread that began the process: there
 * routines find what tools have once for the process (ldx/analysis.h).
 */
extern RT_ENTRY uint64_t __ldx_process;
/* The counters' second address, in the image, or NULL. */
extern uint64_t *__ldx_far;
/* A page in front of the program's cells, or NULL. */
extern void *__ldx_front;

/* Start counting into the profile, if there can be one. */
void __ldx_begin(const struct rt_start *s);

/*
 * Not 0 in the process that set it; 0 in a forked child, where the kernel wipes the page.  Threads
 * and the child of a vfork share the memory, and with it the counters.
 *
 * hazard: shared memory of vfork.  The child of vfork runs in its parent's memory: it gets
 * no counters of its own, and its counts are its parent's.
 */
struct owner_page {
	volatile uint64_t set;
	char rest[LDX_PAGE - 8];
};
extern RT_ENTRY struct owner_page __ldx_owner;

/* In a forked child: take a slot of its own.  Does nothing in any other process. */
void __ldx_child(void);
/* Does this process count in its own slot? */
bool __ldx_has_slot(void);

/* The process leaves main, as by exit(), or the shared object is closed. */
RT_ENTRY void __ldx_ended(void);

/* The cells of the program's own counters, and their size in bytes (whole pages). */
uint64_t *__ldx_cells(void);
uint64_t __ldx_cells_size(void);
/* For new threads: at least *rows adjacent rows of cells; sets *rows to their number.  NULL: none.
 */
void *__ldx_more_rows(uint64_t *rows);
/* In a forked child: map new cells at this address. */
void __ldx_child_cells(uint64_t *at);
/* Memory for cells that are in no profile, mapped at to unless that is NULL. */
void *__ldx_private_cells(void *to);
/* Record that the counts of a forked process, or of a thread, will be missing. */
void __ldx_lost(bool process);

/*
 * The file (slot.c).  open: opens or makes the file called name; the descriptor, or -1; *other:
 * the file exists, but it is of another build.
 * take: the offset of a slot with at least *rows rows of cells; sets *rows.  0: there is none.
 */
int __ldx_profile_open(char *name, const struct rt_start *s, bool *other);
void __ldx_profile_close(int fd);
uint64_t __ldx_slot_take(int fd, uint64_t *rows);
/*
 * The slots that children of a process have had are noted in the header of its slot.  begin: the
 * process has entered its slot, and has no children.  opened: the slot is in the profile that was
 * opened last.  note: in a child that has taken a slot, but not entered it.  again: opens the
 * profile of that name and takes one of the noted slots; the descriptor, or -1.
 */
void __ldx_slot_begin(struct ldx_slot_children *c);
void __ldx_slot_opened(void);
void __ldx_slot_note(struct ldx_slot_children *c, uint64_t at);
int __ldx_slot_again(const char *name, struct ldx_slot_children *c, uint64_t *at);

/*
 * Counters by thread (threads.c); no effect where the program has none.
 * begin: before anything is mapped.  off: nothing is counted.  ahead: the number of other threads
 * to prepare cells for.  cells: those that this thread uses, which are the process's, too.  own:
 * the cells in use were mapped again, and belong to this thread.  rows: add rows of cells for other
 * threads.  child: in a forked child, the cells that this thread uses.  check: give a thread that
 * uses another thread's cells its own.  place: where rows that were mapped at this address can be
 * used; NULL: nowhere.  end: the shared object is closed.
 */
void __ldx_threads_begin(const struct rt_start *s);
void __ldx_threads_off(void);
uint64_t __ldx_threads_ahead(void);
uint64_t *__ldx_threads_cells(void);
void __ldx_threads_own(void);
void __ldx_threads_rows(uint64_t *cells, uint64_t rows);
void *__ldx_threads_place(void *at, uint64_t size);
uint64_t *__ldx_threads_child(void);
RT_ENTRY void __ldx_threads_check(void);
void __ldx_threads_end(void);
/* Not 0 in a program with counters for each thread. */
extern RT_ENTRY uint32_t __ldx_threads;

/*
 * The rules of tools' data (rules.c).  next: the first of them, for NULL, or the one behind r;
 * NULL: there are no more.  put: writes them behind a slot's header.  merge: adds data so far to
 * cells. is_key: is a cell of a row part of a key in a table?
 */
const struct ldx_rule *__ldx_rules_next(const struct ldx_rule *r);
void __ldx_rules_put(void *to);
void __ldx_rules_merge(uint64_t *cells, const uint64_t *from);
bool __ldx_rules_is_key(uint64_t cell);

/*
 * Control by the program (control.c); no effect where it does not use that.
 * has: it does.  fresh: slots that other processes had cannot be used.  before: a copy of rows of a
 * slot, before anything is counted there.  mapped: rows are now mapped at cells.  child: in a
 * forked child, before it maps rows of its own.
 */
bool __ldx_control_has(void);
bool __ldx_control_fresh(void);
uint64_t *__ldx_control_before(const uint64_t *cells, uint64_t size);
void __ldx_control_mapped(uint64_t *cells, uint64_t size, uint64_t *before);
void __ldx_control_child(void);

/* Called by __ldx_forked after a fork, or in a new thread. */
RT_ENTRY void __ldx_noticed(void);

/*
 * The name of the profile.  __ldx_name_set() chooses the pattern at the start;
 * __ldx_name_make() expands it for this process; other: the file of that name belongs to
 * another build.  Both return NULL or false when there is no name.
 * __ldx_name_made() returns the last expansion.
 */
bool __ldx_name_set(const struct rt_start *s);
struct text;
void __ldx_name_expand(struct text *t, const char *pattern);
char *__ldx_name_make(bool other);
const char *__ldx_name_made(void);
/* Was the name given, rather than derived from that of the program? */
bool __ldx_name_given(void);
/* Shared objects of the program read the name here. */
extern RT_ENTRY struct ldx_name __ldx_name;
/* The build of the profile: the program's, or a shared object's when the program has none. */
extern uint64_t __ldx_build;
/* The file that holds __ldx_info, or "". */
extern char __ldx_own[RT_PATH];
/* The user gave the name, and may have given a symbolic link. */
extern bool __ldx_named;

/*
 * The log (log.c).  failed: stores the reason, with a system call's negative result or 0, and
 * returns false.  log: writes a line to the file called log: the name or, if that is NULL, the
 * reason.
 */
bool __ldx_failed(const char *what, long result);
void __ldx_log(const char *log, const char *name);

/* The function of this name in a loaded library; NULL: there is none.  Before __ldx_atfork(). */
RT_ENTRY void *__ldx_find(const struct rt_start *s, const char *name);
/* Have the libc in this process call __ldx_child() after each fork. */
void __ldx_atfork(const struct rt_start *s);
/* Undo __ldx_atfork(), before the shared object is unloaded. */
void __ldx_atfork_end(void *dso);

/*
 * A reader of a small text file of the kernel, record by record, without delimiters.  A record
 * longer than the buffer is truncated.
 */
struct records {
	int fd;
	char delim;
	bool cut;
	size_t at, n;
	char buf[2 * RT_PATH];
};
bool __ldx_records_open(struct records *r, const char *path, char delim);
char *__ldx_records_next(struct records *r);
void __ldx_records_close(struct records *r);
/* Shared: only one is open at a time. */
extern struct records __ldx_records;

size_t __ldx_length(const char *s);
bool __ldx_same(const char *a, const char *b);
/* s behind prefix, or NULL. */
const char *__ldx_after(const char *s, const char *prefix);
/* A number in hexadecimal digits; moves *s behind them. */
uint64_t __ldx_hex(const char **s);

#pragma GCC visibility pop

#endif
