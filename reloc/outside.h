/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outside.h - facts about the shared libraries that the output needs
 *
 * Read at link time from the reference output and all libraries that it needs, directly or not,
 * except the C library's, which the standards describe.  Libraries that a program loads by
 * dlopen(3), or that are preloaded, are not known.
 */
#ifndef LDX_RELOC_OUTSIDE_H
#define LDX_RELOC_OUTSIDE_H

#include "reloc/object.h"

struct outside {
	bool complete;	 /* all of the libraries were found and read */
	bool needs_libc; /* the output needs a C library */
	bool needs_more; /* the output needs other libraries, besides the compilers' */
	bool threads;	 /* one of these may make a thread, or load code */
	unsigned kinds;	 /* union over all names that they import: NAME_* of program/library.h */
	bool sets_base;	 /* a library sets the register by which threads find counters */
	/* a library whose signal handlers may not return (kinds_break_off()), or NULL */
	const char *breaks_off;
	/* sets of names, with value 1: */
	struct strmap imported; /* imported by a library */
	struct strmap foreign;	/* defined by a library; without names of C++ and its ABI */
	struct strmap exported; /* exported by the output */
};

void outside_add(struct arena *a, struct strmap *names, const char *name);

/*
 * o may be NULL: nothing is known, and names of the C library are taken to be its functions.  When
 * a library could not be read, each answer is the conservative one.
 */

/* May one of the libraries import this name? */
bool outside_imports(const struct outside *o, const char *name);
/* May other objects find this definition of the output, as by dlsym(3)? */
bool outside_exports(const struct outside *o, const struct symbol *s);
/* Is an undefined symbol of this name bound to the C library? */
bool outside_is_libc(const struct outside *o, const char *name);

#endif
