/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - a file that is written whole or not at all
 *
 * It is made under another name beside its place, and renamed when it is complete.  Whatever ends
 * ldxprof before removes it.
 */
#ifndef LDX_REPORT_OUTPUT_H
#define LDX_REPORT_OUTPUT_H

#include <stdio.h>

struct output {
	FILE *f;
	const char *path; /* for messages */
	char *target;	  /* what it is to be called; NULL: it is written in place */
	char *temporary;
};

/*
 * NULL: the standard output.  What is no regular file, as a pipe or /dev/null, is written in place.
 * One is open at a time.
 */
struct output output_open(const char *path);

/* die() when anything of it was not written. */
void output_close(struct output *o);

#endif
