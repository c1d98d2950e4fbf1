/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opmix.c - how often each operation of the processor was executed
 */
#include <ldx/report.h>

static const struct ldx_column columns[] = {
	{.name = "executed", .kind = LDX_EXECUTED},
	{.name = "share", .kind = LDX_SHARE, .a = 0},
	{.name = "code", .kind = LDX_CODE},
	{.name = "histogram", .kind = LDX_BAR, .a = 0},
	{0},
};

static const struct ldx_table opcodes = {
	.name = "opcodes",
	.rows = LDX_ROWS_KEYS,
	.key = ldx_insn_mnemonic,
	.key_name = "opcode",
	.columns = columns,
};

static const struct ldx_table *const tables[] = {&opcodes, 0};

LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION,
	.name = "opmix",
	.summary = "how often each operation of the processor was executed",
	.tables = tables,
};
