/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outside.h - what is known of the shared libraries that the output needs
 *
 * Found when linking, from the reference output and the libraries it names, with those that they
 * need.  The C library's own are not among them: what they do is known by standards.  Nor is one
 * that a program loads by dlopen(3) or that somebody preloads: of these nothing is known.
 */
#ifndef LDX_RELOC_OUTSIDE_H
#define LDX_RELOC_OUTSIDE_H

#include "reloc/object.h"

struct outside {
	bool complete;		/* all of the libraries were found and read */
	bool needs_libc;	/* a C library's parts are among those that are needed */
	unsigned kinds;		/* of names that they take from elsewhere: NAME_* of cfg/cfg.h */
	bool breaks_off;	/* one of them leaves what it interrupts: kinds_break_off() */
	bool sets_base;		/* one of them sets what threads find their counters by */
	/* sets of names, with value 1: */
	struct strmap imported;	/* one of the libraries takes it from elsewhere */
	struct strmap foreign;	/* one of them defines it; without names of C++ and its ABI */
	struct strmap exported;	/* the output itself defines it where others see it */
};

void outside_add(struct arena *a, struct strmap *names, const char *name);

/*
 * o may be NULL: nothing is known, and what the names of the C library say is believed.  When not
 * all was read, each answer is the cautious one.
 */

/* May one of the libraries refer to this name outside of itself? */
bool outside_imports(const struct outside *o, const char *name);
/* May something else than the output find what that defines by this symbol, as by dlsym(3)? */
bool outside_exports(const struct outside *o, const struct symbol *s);
/* May a C library be part of the output itself? */
bool outside_is_static(const struct outside *o);
/* Is the object's undefined symbol of this name bound to a library of the C library's own? */
bool outside_is_libc(const struct outside *o, const char *name);

#endif
