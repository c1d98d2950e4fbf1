/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.h - tools: where they are, and what they declare
 */
#ifndef LDX_REPORT_TOOL_LOAD_H
#define LDX_REPORT_TOOL_LOAD_H

#include <ldx/report.h>
#include <stdio.h>

/*
 * The tool called name: a path, or NAME.so or the package NAME.ldxtool in a directory of
 * LDX_TOOLPATH, or among those that came with ldx.  die() if there is none, or it is not one for
 * this ldxprof.  NULL: it is a package without a part for ldxprof.
 */
const struct ldx_report *tool_load(const char *name);

/* The name of a tool: that of its file, without folder and ending. */
const char *tool_named(const char *name);

/* Print the names and summaries of all that are found without a path. */
void tool_list(FILE *out);

/* Call fn(ctx), which runs code of the tool: if it crashes, the message has the tool's name. */
void tool_call(const struct ldx_report *tool, void (*fn)(void *ctx), void *ctx);

#endif
