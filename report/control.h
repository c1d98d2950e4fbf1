/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - reset, stop and start what a profile counts, while processes count in it
 */
#ifndef LDX_REPORT_CONTROL_H
#define LDX_REPORT_CONTROL_H

#include <stddef.h>

/*
 * The profiles that a process counts in, or that a path names: a profile, or those of an
 * instrumented program.  die() when there is none.
 */
char **control_files(const char *target, size_t *n);

/*
 * From here on the profile in path says what is counted from here on; what was counted up to here,
 * until it starts again; and both, without what was counted meanwhile.  Nobody else may control it
 * at the same time: the call waits.  die() when the file cannot be written or is damaged.
 */
void control_reset(const char *path);
void control_stop(const char *path);
void control_start(const char *path);

#endif
