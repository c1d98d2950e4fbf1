/* SPDX-License-Identifier: Apache-2.0 */
/*
 * views.h - the views of a program and its profile that ldxprof's verbs print
 */
#ifndef LDX_REPORT_VIEWS_H
#define LDX_REPORT_VIEWS_H

#include "report/figures/filter.h"
#include "report/read/program.h"
#include "report/common/text.h"

#include <stdio.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_TSV };
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
	uint64_t top; /* greatest number of rows; 0: all; or TOP_UNSAID */
	bool all;     /* include functions and blocks that were not executed */
	bool mangled; /* names as they are in the program */
	size_t width; /* names are shortened to lines of this width; 0: they are not */
	struct filter filter;
};
#define TOP_UNSAID UINT64_MAX

/* How many of n rows are shown: by default 30 as text, else all. */
size_t view_rows(const struct view_options *opt, size_t n);

/* verbs/report.c: one row for each function, or each block. */
void view_functions(const struct run *run, const struct view_options *opt, FILE *out);
void view_blocks(const struct run *run, const struct view_options *opt, FILE *out);

/*
 * hottest.c: one row for each line of the source; for each function of the source, inlined ones
 * too.
 */
void view_lines(const struct run *run, const struct view_options *opt, FILE *out);
void view_inlined(const struct run *run, const struct view_options *opt, FILE *out);

/* verbs/annotate.c: a function or a source file with counts. */
struct annotate_options {
	const char *name;
	bool assembly; /* the instructions under each line */
	struct text_folders folders;
};
void view_annotation(const struct run *run, const struct view_options *opt,
	const struct annotate_options *what, FILE *out);

/* verbs/export.c: all counts; address: counts by address instead of by name. */
void view_json(const struct run *run, FILE *out);
void view_counts(const struct run *run, bool address, FILE *out);

/* Formats of programs that show profiles, in a file each. */
void view_callgrind(const struct run *run, FILE *out);
void view_pprof(const struct run *run, FILE *out);
void view_folded(const struct run *run, FILE *out);
void view_gmon(const struct run *run, FILE *out);
void view_drcov(const struct run *run, FILE *out);

/* Formats of compilers, linkers and BOLT, for the program only, in a file each. */
void view_sample(const struct run *run, FILE *out);
void view_afdo(const struct run *run, FILE *out);
void view_fdata(const struct run *run, FILE *out);
void view_symbol_order(const struct run *run, FILE *out);
void view_call_graph_order(const struct run *run, FILE *out);

#endif
