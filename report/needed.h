/* SPDX-License-Identifier: Apache-2.0 */
/*
 * needed.h - the shared objects that a program says it needs
 */
#ifndef LDX_REPORT_NEEDED_H
#define LDX_REPORT_NEEDED_H

#include "report/program.h"

/* Names as DT_NEEDED has them. */
struct needed {
	const char **v;
	size_t n;
};

/* Those that objects of the run need, and of which it has no counts. */
struct needed needed_uncounted(const struct run *run);

#endif
