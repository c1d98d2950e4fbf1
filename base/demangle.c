/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.c - names of C++, Rust and D as their languages write them
 */
#include "base/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

/* The demangler of D recurses for each letter: longer names could overflow the stack. */
enum { LONGEST_D = 1 << 14 };

char *demangle(const char *name)
{
	if (!strncmp(name, "_D", 2))
		return strlen(name) <= LONGEST_D ? dlang_demangle(name, 0) : NULL;
	if (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2))
		return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	return NULL;
}
