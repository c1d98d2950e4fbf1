/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h - what functions of the C library do, by their names: library.tsv
 *
 * A function of another library may have the same name and behave differently: cfg/libc.h.
 */
#ifndef LDX_PROGRAM_LIBRARY_H
#define LDX_PROGRAM_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

/* How a call of a function ends, as far as is known. */
enum callee {
	CALLEE_ANY,
	CALLEE_RETURNS, /* it returns once, unless a signal kills the process */
	CALLEE_DIES,	/* a signal kills the process */
	CALLEE_LEAVES,	/* it does not return: exit, longjmp, throw */
};

/* What else it does: a set of bits. */
enum name_kind {
	/* a handler that calls it may end a function after any instruction */
	NAME_HANDLES = 1,   /* installs signal handlers */
	NAME_UNWINDS = 2,   /* does not return to what a handler interrupted */
	NAME_FORKS = 4,	    /* makes a process that continues there too */
	NAME_CANCELS = 8,   /* lets a thread be cancelled anywhere */
	NAME_SYSCALL = 16,  /* makes any system call */
	NAME_STOPS = 32,    /* ends another thread where that waits, as in a handler */
	NAME_LOOKS_UP = 64, /* finds functions by their names */
	NAME_KINDS = 127,   /* all of these */

	NAME_ALONE = 1 << 7,	       /* makes no thread and no process */
	NAME_THREADS = 1 << 8,	       /* makes a thread */
	NAME_QUIET = 1 << 9,	       /* calls no function of the program */
	NAME_HANDLER = 1 << 10,	       /* its second argument is a handler of a signal */
	NAME_HANDLER_STRUCT = 1 << 11, /* ... leads to a struct with one */
	NAME_LONGJMP = 1 << 12,	       /* returns in another frame */
	NAME_RESUMES = 1 << 13,	       /* lets an exception pass on */
	NAME_SWITCHES = 1 << 14,       /* continues another context */
	NAME_FORKS_BARE = 1 << 15,     /* may fork without the handlers of pthread_atfork(3) */
	NAME_BEGINS = 1 << 16,	       /* where a new thread begins, in a static C library */
	NAME_FILTERS = 1 << 17,	       /* may forbid system calls */
	NAME_EXECUTABLE = 1 << 18,     /* may make memory that can be executed */
	NAME_MAPS = 1 << 19,	       /* maps memory at an address */
	NAME_SIGSET = 1 << 20,	       /* changes a set of signals, and nothing else */
};

/*
 * A function that accesses memory at arguments at, bits 0 to 2, of so many bytes as the product of
 * arguments count; 0: it finds out how many.
 */
struct accessor {
	uint8_t at, count;
};

struct library_function {
	const char *name;
	enum callee ends;
	unsigned does; /* enum name_kind */
	struct accessor memory;
};

/* What the standards say of a function with this name; NULL: it does not access memory so. */
enum callee callee_by_name(const char *name);
const struct accessor *callee_accesses(const char *name);
unsigned name_does(const char *name);
/* Is it a name of C++ or its ABI, whose meaning does not depend on the library? */
bool name_is_cxx(const char *name);
/* Does no thread begin by a call of it, and no process but where the C library sees that? */
bool name_is_harmless(const char *name);
/* Its NAME_KINDS, also of functions of the C++ library. */
unsigned name_kinds(const char *name);
/* kinds: of all names that one library refers to.  May its own handlers break off functions? */
bool kinds_break_off(unsigned kinds);

#endif
