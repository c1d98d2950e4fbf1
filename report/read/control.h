/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - reset, stop and start what a profile counts, while processes count in it
 */
#ifndef LDX_REPORT_CONTROL_H
#define LDX_REPORT_CONTROL_H

#include <stddef.h>

/*
 * The profiles in which a process counts, or that a path names: a profile, or those of an
 * instrumented program.  die() if there is none.
 */
char **control_files(const char *target, size_t *n);

/*
 * Reset sets the counts of the profile to 0; stop keeps the present counts until start, which
 * discards what was counted in between.  The call waits while another process controls the profile.
 * die() if the file cannot be written or is damaged.
 */
void control_reset(const char *path);
void control_stop(const char *path);
void control_start(const char *path);

#endif
