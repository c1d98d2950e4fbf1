/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pixie.c - blocks and instructions executed, by function, line and block
 *
 * Named after the tool of MIPS, which added the first such counters to executables.
 */
#include <ldx/report.h>

enum { BLOCKS, INSTRUCTIONS };
static const struct ldx_column columns[] = {
	[BLOCKS] = {.name = "blocks", .kind = LDX_BLOCKS},
	[INSTRUCTIONS] = {.name = "instructions", .kind = LDX_EXECUTED},
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

static const struct ldx_table lines = {
	.name = "lines",
	.rows = LDX_ROWS_LINES,
	.columns = columns,
	.sort = INSTRUCTIONS,
	.total = 1,
};

static const struct ldx_table blocks = {
	.name = "blocks",
	.rows = LDX_ROWS_BLOCKS,
	.columns = columns,
	.sort = INSTRUCTIONS,
};

static const struct ldx_table *const tables[] = {&functions, &lines, &blocks, 0};

LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION,
	.name = "pixie",
	.summary = "blocks and instructions executed, by function, line and block",
	.tables = tables,
};
