/* SPDX-License-Identifier: Apache-2.0 */
/* calls-report.c - what the tool measures is in ldxprof's own views of calls */
#include <ldx/report.h>

static void run(void)
{
	ldx_print("ldxprof calls, html and export show what this tool has measured.\n");
}

static const struct ldx_table *const tables[] = {0};

LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION,
	.name = "calls",
	.summary = "calls by address, and instructions until calls return: see ldxprof calls",
	.tables = tables,
	.run = run,
};
