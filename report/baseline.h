/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline.h - figures in a file, for later runs to be compared with
 *
 * It is text, a line for each function, in an order that does not depend on the counts: it may
 * stand under version control.
 */
#ifndef LDX_REPORT_BASELINE_H
#define LDX_REPORT_BASELINE_H

#include "report/figures.h"

/* die() when it is not there, or is none. */
struct figures baseline_read(const char *path);
void baseline_write(const struct figures *f, const char *path);

#endif
