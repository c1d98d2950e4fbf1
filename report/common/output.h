/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - a file that is written whole or not at all
 *
 * The file is written under a temporary name in the same directory, and renamed when it is
 * complete. If ldxprof ends before, it is removed.
 */
#ifndef LDX_REPORT_OUTPUT_H
#define LDX_REPORT_OUTPUT_H

#include <stdio.h>

struct output {
	FILE *f;
	const char *path; /* for messages */
	char *target;	  /* final name; NULL: it is written in place */
	char *temporary;
};

/*
 * path NULL: standard output.  A file that is not regular, such as a pipe or /dev/null, is written
 * in place.  Only one output can be open at a time.
 */
struct output output_open(const char *path);

/* die() if writing failed. */
void output_close(struct output *o);

/* Remove what is not complete, if the process ends without exit(3); safe in signal handlers. */
void output_abandon(void);

#endif
