/* SPDX-License-Identifier: Apache-2.0 */
/*
 * needed.h - shared objects that a program needs
 */
#ifndef LDX_REPORT_NEEDED_H
#define LDX_REPORT_NEEDED_H

#include "report/read/program.h"

/* Names as in DT_NEEDED. */
struct needed {
	const char **v;
	size_t n;
};

/* Shared objects that objects of the run need, and that the run has no counts of. */
struct needed needed_uncounted(const struct run *run);

#endif
