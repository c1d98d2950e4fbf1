/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spots.h - how often each place of the source was executed, for profiles that compilers read
 *
 * A place is a line, relative to the declaration of its function, and a discriminator, in a
 * function that is the outermost one or was inlined at a place of another.  Its count is the
 * greatest of its instructions', summed over the copies of a function.
 */
#ifndef LDX_REPORT_SPOTS_H
#define LDX_REPORT_SPOTS_H

#include "report/read/program.h"

/* A function, and the place of its call in the function before it. */
struct step {
	const char *name; /* as in the symbol table, without the suffixes of a compiler's copies */
	uint32_t at;
};

struct spot {
	const struct step *path; /* the outermost first */
	size_t depth;
	uint32_t at;	    /* the line, 16 bits, and the discriminator, 16 bits */
	const char *callee; /* NULL: the count of the place; else of its calls of this function */
	uint64_t count;
};

struct entries {
	const char *name;
	uint64_t calls;
};

struct spots {
	struct spot *v; /* by path, functions before those inlined in them, then by at */
	size_t n;
	struct entries *func; /* the outermost functions, by name */
	size_t nfuncs;
};

/* The meaning of discriminators. */
enum discriminators {
	DISCRIMINATORS_NONE, /* none: a place is a line */
	DISCRIMINATORS_LLVM, /* block of the line, number of copies, number of this copy */
};

/*
 * The places of all functions of the program itself that were executed.  Names that several
 * functions share are left out; standard error says how many.  die() if there is no debug
 * information.
 */
struct spots spots_find(const struct run *run, enum discriminators meaning);

/* The end of the spots from i on that have the same first steps of their paths as spot i. */
size_t spots_same(const struct spots *s, size_t i, size_t end, size_t steps);

/* The sum of the counts of places. */
uint64_t spots_total(const struct spots *s, size_t from, size_t end);

/* How often the outermost function of spot i was called. */
uint64_t spots_calls(const struct spots *s, size_t i);

#endif
