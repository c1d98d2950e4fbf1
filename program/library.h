/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h - what functions of the C library do, by their names
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

/* What the standards say of a function with this name */
enum callee callee_by_name(const char *name);

/*
 * A function of the C library that accesses memory at arguments at, bits 0 to 2, of so many bytes
 * as the product of arguments count; 0: it finds out how many.  NULL: another function.
 */
struct accessor {
	const char *name;
	uint8_t at, count;
};

const struct accessor *callee_accesses(const char *name);
bool name_is_harmless(const char *name); /* it makes no thread and no process */

/* Is the second argument of the function of this name a handler, or a struct with one? */
bool handler_in_address(const char *name);
bool handler_in_struct(const char *name);

/* Functions by which a handler may end a function after any instruction. */
enum name_kind {
	NAME_HANDLES = 1,  /* installs signal handlers */
	NAME_LEAVES = 2,   /* does not return to what a handler interrupted */
	NAME_FORKS = 4,	   /* makes a process that continues there too */
	NAME_CANCELS = 8,  /* lets a thread be cancelled anywhere */
	NAME_SYSCALL = 16, /* makes any system call */
	NAME_STOPS = 32,   /* ends another thread where that waits, as in a handler */
	NAME_LOOKS_UP = 64 /* finds functions by their names */
};
unsigned name_kinds(const char *name);
/* kinds: of all names that one library refers to.  May its own handlers break off functions? */
bool kinds_break_off(unsigned kinds);

#endif
