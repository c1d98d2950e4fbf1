/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spots.h - how often each place of the source was executed, as compilers are told it
 *
 * A place is a line, counted from the declaration of its function, and a discriminator, in a
 * function that is the outermost one or was inlined at a place of another.  Its count is the
 * greatest of its instructions, since one place has several; of copies of a function, the sum.
 */
#ifndef LDX_REPORT_SPOTS_H
#define LDX_REPORT_SPOTS_H

#include "report/program.h"

/* A function, and the place of its call in the one before it. */
struct step {
	const char *name; /* as in the symbol table, without the suffixes of a compiler's copies */
	uint32_t at;
};

struct spot {
	const struct step *path; /* the outermost first */
	size_t depth;
	uint32_t at;	    /* the line, 16 bits, and the discriminator, 16 bits */
	const char *callee; /* NULL: count is of the place; else of its calls of this function */
	uint64_t count;
};

struct entries {
	const char *name;
	uint64_t calls;
};

struct spots {
	struct spot *v; /* by path, functions before what is inlined in them, then by at */
	size_t n;
	struct entries *func; /* the outermost functions, by name */
	size_t nfuncs;
};

/* What discriminators mean. */
enum discriminators {
	DISCRIMINATORS_NONE, /* nothing: a place is a line */
	DISCRIMINATORS_LLVM, /* one of several blocks of a line, how many copies there are, which */
};

/*
 * The places of the program itself, of all functions that were executed.  Left out are names that
 * stand for several functions of the program; standard error says how many.  die() when there is no
 * debug information.
 */
struct spots spots_find(const struct run *run, enum discriminators meaning);

/* The end of what is, from i on, in the same function as spot i, at the depth of steps. */
size_t spots_same(const struct spots *s, size_t i, size_t end, size_t steps);

/* The sum of the counts of places. */
uint64_t spots_total(const struct spots *s, size_t from, size_t end);

/* How often the outermost function of spot i was called. */
uint64_t spots_calls(const struct spots *s, size_t i);

#endif
