/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outside.h - what is known of the shared libraries that the output needs
 *
 * Found when linking, from the reference output and the libraries it names, with those that they
 * need.  A library that a program loads by dlopen(3) is not among them.
 */
#ifndef LDX_RELOC_OUTSIDE_H
#define LDX_RELOC_OUTSIDE_H

#include "reloc/base.h"

struct outside {
	struct strmap imported;	/* names that one of the libraries does not define itself: value 1 */
	struct strmap foreign;	/* names the object imports that a library other than libc's own defines */
};

/* o may be NULL: nothing is known, and what the names of the C library say is believed. */

/* Does one of the libraries refer to this name outside of itself? */
bool outside_imports(const struct outside *o, const char *name);
/* Is the object's undefined symbol of this name bound to a library of the C library's own? */
bool outside_is_libc(const struct outside *o, const char *name);

#endif
