/* SPDX-License-Identifier: Apache-2.0 */
/* toolbox.h - the verbs of ldxtool(1); what is wrong is fatal() */
#ifndef LDX_LDWRAP_TOOLBOX_H
#define LDX_LDWRAP_TOOLBOX_H

#include "base/base.h"

/* A path below the folder in which ldx is installed, wherever it was moved to. */
const char *tool_place(struct arena *a, const char *path);

/* toolnew.c: write the sources of a tool into the current folder. */
void tool_new(const char *name);

/*
 * toolbuild.c: NAME.c asks for code; NAME-routines.c and NAME-report.c are the other parts, if they
 * exist.  output: NULL is NAME.ldxtool.  cpus: names separated by commas, or NULL for all that have
 * a compiler here.
 */
void tool_build(const char *name, const char *output, const char *cpus);

/* toolinfo.c */
void tools_list(void);
void tool_info(const char *name);

#endif
