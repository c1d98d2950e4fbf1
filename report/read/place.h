/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h - the file of the profile of a program or shared object
 *
 * It is the file in which a process with this environment would count; see ldxprof(5).
 */
#ifndef LDX_REPORT_PLACE_H
#define LDX_REPORT_PLACE_H

#include "report/read/program.h"

struct place {
	/*
	 * The file's full path, with %p if it depends on the process, and with the build if the
	 * file of the plain name is of another build.  NULL: no profile is written.
	 */
	const char *name;
	const char *taken; /* why the build is in the name; NULL: it is not */
	char **file;	   /* the existing profiles of this build */
	size_t n;
	const char *problem; /* if there is none: why, if known */
};

void place_find(struct place *pl, const struct program *p);

#endif
