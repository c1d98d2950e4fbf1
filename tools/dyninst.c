/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dyninst.c - instructions executed, by what they do: loads, stores, branches, calls ...
 *
 * An instruction that does several of these counts for each: `add %eax,(%rbx)' loads and stores.
 */
#include <ldx/report.h>

static const struct ldx_column columns[] = {
	{.name = "instructions", .kind = LDX_EXECUTED},
	{.name = "blocks", .kind = LDX_BLOCKS},
	{.name = "loads", .kind = LDX_EXECUTED, .classes = LDX_CLASS_LOAD},
	{.name = "stores", .kind = LDX_EXECUTED, .classes = LDX_CLASS_STORE},
	{.name = "branches", .kind = LDX_EXECUTED, .classes = LDX_CLASS_BRANCH},
	{.name = "jumps", .kind = LDX_EXECUTED, .classes = LDX_CLASS_JUMP},
	{.name = "calls", .kind = LDX_EXECUTED, .classes = LDX_CLASS_CALL},
	{.name = "returns", .kind = LDX_EXECUTED, .classes = LDX_CLASS_RETURN},
	{.name = "syscalls", .kind = LDX_EXECUTED, .classes = LDX_CLASS_SYSCALL},
	{.name = "unknown", .kind = LDX_EXECUTED, .classes = LDX_CLASS_UNKNOWN},
	{0},
};

static const struct ldx_table total = {
	.name = "total",
	.rows = LDX_ROW_TOTAL,
	.columns = columns,
};

static const struct ldx_table functions = {
	.name = "functions",
	.rows = LDX_ROWS_FUNCTIONS,
	.columns = columns,
};

static const struct ldx_table *const tables[] = {&total, &functions, 0};

LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION,
	.name = "dyninst",
	.summary = "instructions by what they do: loads, stores, branches, calls",
	.tables = tables,
};
