/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - a bar on the terminal for what takes longer than two seconds
 */
#ifndef LDX_REPORT_PROGRESS_H
#define LDX_REPORT_PROGRESS_H

#include <stddef.h>

/*
 * done of total steps of what are done.  It may be called for each step: most calls do nothing.
 * Without total, as where a list is read, the bar is a number.  The bar goes with the last step.
 */
void progress(const char *what, size_t done, size_t total);

/* Remove the bar, before something else is printed. */
void progress_clear(void);

#endif
