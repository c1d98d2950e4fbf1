/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline.c - which calls are made often, and how large the callee is
 *
 * A frequent call of a small function is worth inlining: the first rows have the most calls.
 */
#include <ldx/report.h>

/* Bytes of the function that is called, if it is known and in the same object. */
static uint64_t callee_size(const ldx_insn *i)
{
	const ldx_func *f = ldx_insn_callee(i);
	return f ? ldx_func_size(f) : LDX_UNKNOWN;
}

static const struct ldx_column columns[] = {
	{.name = "calls", .kind = LDX_EXECUTED},
	{.name = "share", .kind = LDX_SHARE, .a = 0},
	{.name = "size", .kind = LDX_FACT, .value = callee_size},
	{0},
};

static const struct ldx_table sites = {
	.name = "sites",
	.rows = LDX_ROWS_CALLS,
	.columns = columns,
};

static const struct ldx_table *const tables[] = {&sites, 0};

LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION,
	.name = "inline",
	.summary = "calls by call site, with the size of the callee",
	.tables = tables,
};
