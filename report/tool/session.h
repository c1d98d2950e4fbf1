/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - a tool, run on the counts of a run
 */
#ifndef LDX_REPORT_TOOL_SESSION_H
#define LDX_REPORT_TOOL_SESSION_H

#include "base/base.h"
#include "report/tool/rows.h"

struct session {
	const struct ldx_report *report;
	const char *name;      /* as in the map, of its variables */
	const char **option;   /* the values of the tool's options */
	VEC(struct rows) rows; /* of the tables that are wanted */
	bool counts;	       /* these have counts of the program */
	char *text;	       /* what it prints in front of them */
	size_t size;
};

/* See tool_load(). */
struct session *session_open(const char *name);

/* The same, of a name that options may follow: NAME:OPTION=VALUE,... */
struct session *session_open_words(const char *word);

/* all: also rows without counts.  wants: is the table asked for? NULL: each is. */
void session_run(struct session *s, const struct run *run, const struct filter *filter, bool all,
	bool (*wants)(const struct ldx_table *t));

#endif
