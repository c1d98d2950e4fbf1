/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - a bar on the terminal for operations that take longer than two seconds
 */
#ifndef LDX_REPORT_PROGRESS_H
#define LDX_REPORT_PROGRESS_H

#include <stddef.h>

/*
 * done of total steps of operation what are done.  It may be called for each step: most calls do
 * nothing.  If total is 0 (not known), a number is shown.  The last step removes the bar.
 */
void progress(const char *what, size_t done, size_t total);

/* Remove the bar, before something else is printed. */
void progress_clear(void);

#endif
