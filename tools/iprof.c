/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iprof.c - calls of each function, its instructions, and how many each call takes
 *
 * Instructions are the function's own, without those of functions that it calls.
 */
#include <ldx/report.h>

enum { CALLS, INSTRUCTIONS };
static const struct ldx_column columns[] = {
	[CALLS] = {.name = "calls", .kind = LDX_ENTRIES},
	[INSTRUCTIONS] = {.name = "instructions", .kind = LDX_EXECUTED},
	{.name = "per-call", .kind = LDX_RATIO, .a = INSTRUCTIONS, .b = CALLS},
	{.name = "share", .kind = LDX_SHARE, .a = INSTRUCTIONS},
	{0},
};

static const struct ldx_table functions = {
	.name = "functions",
	.rows = LDX_ROWS_FUNCTIONS,
	.columns = columns,
	.sort = INSTRUCTIONS,
	.total = 1,
};

static const struct ldx_table *const tables[] = {&functions, 0};

LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION,
	.name = "iprof",
	.summary = "calls of functions, their instructions, and instructions per call",
	.tables = tables,
};
