/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h - where the profile of a program or shared object is, or would be
 *
 * It is where a process with our environment would count; see ldxprof(5).
 */
#ifndef LDX_REPORT_PLACE_H
#define LDX_REPORT_PLACE_H

#include "report/program.h"

struct place {
	/*
	 * The file as a whole path, with %p and the like where it depends on the process; with
	 * the build in it when another file has that name.  NULL: none is written.
	 */
	const char *name;
	const char *taken;   /* why the build is in it; NULL: it is not */
	char **file;	     /* the profiles of this build that are there */
	size_t n;
	const char *problem; /* when there is none: why, as far as that can be seen */
};

void place_find(struct place *pl, const struct program *p);

#endif
