/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - the rows of a tool's tables, with their values
 */
#ifndef LDX_REPORT_TOOL_ROWS_H
#define LDX_REPORT_TOOL_ROWS_H

#include "report/figures/calls.h"
#include "report/figures/filter.h"

#include <ldx/report.h>

/* A value of a row, of the type of its column. */
struct value {
	bool known;
	uint64_t number;
	double real;	  /* LDX_SHARE, LDX_BAR (part of the greatest one), LDX_RATIO */
	const char *text; /* LDX_NAME, LDX_TEXT */
};

/* What a row is of: what is not known, or not the same for all of it, is NULL or 0. */
struct row {
	const ldx_object *object;
	const ldx_func *func;
	const struct map_block *block;
	uint64_t address, offset; /* of its first instruction; offset: from the function's start */
	const char *file;
	uint32_t line;
	const char *name; /* a key, the text of an instruction, a callee */
	struct value *v;  /* by column */
};

struct rows {
	const struct ldx_table *table;
	size_t ncolumns;
	struct row *v; /* as they are shown */
	size_t n;
	struct value *total; /* by column: over all rows */
};

/* all: also rows without counts. */
struct rows rows_make(const struct ldx_table *t, const struct filter *filter, bool all);

/* Make rows of the values that a tool has added, n rows. */
struct rows rows_added(const struct ldx_table *t, const struct ldx_value *values, size_t n);

size_t columns_of(const struct ldx_table *t);

#endif
