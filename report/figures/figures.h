/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - one number for each function or line of a run, to compare it with another run
 *
 * Figures with the same name, file and object are compared.  The program itself has an empty object
 * name, because it may be renamed.
 */
#ifndef LDX_REPORT_FIGURES_H
#define LDX_REPORT_FIGURES_H

#include "report/figures/views.h"

enum figure_kind {
	FIGURE_INSNS,  /* instructions executed */
	FIGURE_CALLS,  /* of a function */
	FIGURE_BLOCKS, /* of a function: how many were executed */
	FIGURE_LINES,  /* instructions executed, by line */
};

struct figure {
	const char *name; /* demangled unless the options say otherwise */
	const char *file, *object;
	const char *input; /* what the function was linked from, or "" */
	uint32_t line;	   /* 0: a function's */
	uint64_t value;
};

/* Sorted by object, file, line and name, each once. */
struct figures {
	struct figure *v;
	size_t n;
};

/* The figures that are not 0.  die() if the run has no such counts. */
struct figures figures_of(const struct run *run, enum figure_kind kind,
	const struct view_options *opt);

/* Sorts, and adds figures with the same key. */
void figures_sort(struct figures *f);

uint64_t figures_sum(const struct figures *f);

/* An old and a new value; a missing one is 0. */
struct change {
	const struct figure *of; /* the new figure if there is one */
	bool was, is;
	uint64_t old, new;
	size_t rank; /* position in the order in which they were found */
};
struct changes {
	struct change *v;
	size_t n;
};

/* All changes, in the order of the figures; equal: also figures that have not changed. */
struct changes changes_find(const struct figures *old, const struct figures *new, bool equal);

/* "+12.50%", "new" or "gone"; valid until the next call. */
const char *change_percent(const struct change *c);
/* "+12" or "-12"; valid until the next call. */
const char *change_difference(const struct change *c);
/* How much it has changed, up or down. */
uint64_t change_size(const struct change *c);

#endif
