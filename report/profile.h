/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - profiles: what runs of an instrumented program left
 *
 * A profile may be read while processes count in it.  See runtime/abi.h and
 * ldxprof(5) for the format.
 */
#ifndef LDX_REPORT_PROFILE_H
#define LDX_REPORT_PROFILE_H

#include "runtime/abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct profile {
	uint64_t build, ncounters;
	uint64_t files, runs, lost;
	char program[1024]; /* of the first file */
	char command[2048];
	uint64_t *count; /* by counter: the sum over all slots; NULL: there is none */
};

/*
 * Add the profile in file path to *p, which is zeroed for the first.  die() when
 * it is no good, or of another build.  False: there is no such file.
 */
bool profile_add(struct profile *p, const char *path);

/* The build of the profile in path; false: no such file, or it is no profile. */
bool profile_build(const char *path, uint64_t *build);

/* Write p to a new file at path, in place of what is there. */
void profile_write(const struct profile *p, const char *path);

/* ldxprof info */
void profile_info(const char *path, FILE *out);

#endif
