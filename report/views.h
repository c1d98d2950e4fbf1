/* SPDX-License-Identifier: Apache-2.0 */
/*
 * views.h - the views that ldxprof has of a program and its profile, one file each
 */
#ifndef LDX_REPORT_VIEWS_H
#define LDX_REPORT_VIEWS_H

#include "report/program.h"

#include <stdio.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_TSV, FORMAT_COUNTS };
enum sort {
	SORT_DEFAULT,
	SORT_INSNS,
	SORT_CALLS,
	SORT_COUNT,
	SORT_COVERAGE,
	SORT_NAME,
	SORT_ADDRESS
};

struct view_options {
	enum format format;
	enum sort sort;
	uint64_t limit; /* rows at most; 0: all */
	bool all;	/* also what was not executed */
	bool mangled;	/* names as they are in the program */
	bool address;	/* counts: by address instead of by name */
};

/* report.c: one row for each function, or each block. */
void view_functions(const struct run *run, const struct view_options *opt, FILE *out);
void view_blocks(const struct run *run, const struct view_options *opt, FILE *out);

/* annotate.c: the instructions of the functions called name, with counts. */
void view_function(const struct run *run, const struct view_options *opt, const char *name,
	FILE *out);

/*
 * icount.c: the number of instructions executed, in all or by function; standard error says which
 * parts of the program are not included.  compare: die() when the number in the file differs by
 * more than tolerance percent.
 */
uint64_t view_icount(const struct run *run, const struct view_options *opt, bool functions,
	FILE *out);
void icount_compare(uint64_t insns, const char *path, double tolerance);

/* where.c: the files of the profiles of the program at path and of its shared objects. */
void view_where(const char *path, FILE *out);

/* export.c: everything there is. */
void view_json(const struct run *run, FILE *out);
void view_counts(const struct run *run, const struct view_options *opt, FILE *out);

#endif
