/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - one number for each function or line of a run, to compare it with another run
 *
 * What is compared has the same name, file and object in both.  The program itself is no object:
 * it may be called otherwise.
 */
#ifndef LDX_REPORT_FIGURES_H
#define LDX_REPORT_FIGURES_H

#include "report/views.h"

enum figure_kind {
	FIGURE_INSNS,  /* instructions executed */
	FIGURE_CALLS,  /* of a function */
	FIGURE_BLOCKS, /* of a function: how many were executed */
	FIGURE_LINES,  /* instructions executed, by line */
};

struct figure {
	const char *name; /* demangled unless it is not wanted */
	const char *file, *object;
	const char *input; /* what the function was linked from, or "" */
	uint32_t line;	   /* 0: a function's */
	uint64_t value;
};

/* In the order of what they are of, each of which is there once. */
struct figures {
	struct figure *v;
	size_t n;
};

/* Those that are not 0.  die() when the run has no such counts. */
struct figures figures_of(const struct run *run, enum figure_kind kind,
	const struct view_options *opt);

/* Those of one name are added up. */
void figures_sort(struct figures *f);

uint64_t figures_sum(const struct figures *f);

/* What is different: an old and a new value, of which one may be 0 because it is not there. */
struct change {
	const struct figure *of; /* the new one if there is one */
	bool was, is;
	uint64_t old, new;
	size_t rank; /* its place in the order in which they were found */
};
struct changes {
	struct change *v;
	size_t n;
};

/* All that are in one of them, in their order; equal: also those that have not changed. */
struct changes changes_find(const struct figures *old, const struct figures *new, bool equal);

/* "+12.50%", "new" or "gone"; valid until the next call. */
const char *change_percent(const struct change *c);
/* "+12" or "-12"; valid until the next call. */
const char *change_difference(const struct change *c);
/* How much it has changed, up or down. */
uint64_t change_size(const struct change *c);

#endif
