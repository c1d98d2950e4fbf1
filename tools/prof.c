/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prof.c - which functions execute the most instructions
 *
 * The smallest kind of tool: a table that ldxprof fills.
 */
#include <ldx/report.h>

static const struct ldx_column columns[] = {
	{.name = "instructions", .kind = LDX_EXECUTED},
	{.name = "share", .kind = LDX_SHARE, .a = 0},
	{.name = "entries", .kind = LDX_ENTRIES},
	{0},
};

static const struct ldx_table functions = {
	.name = "functions",
	.rows = LDX_ROWS_FUNCTIONS,
	.columns = columns,
};

static const struct ldx_table *const tables[] = {&functions, 0};

LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION,
	.name = "prof",
	.summary = "which functions execute the most instructions",
	.tables = tables,
};
