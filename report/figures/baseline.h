/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline.h - figures in a file, with which later runs are compared
 *
 * The file is text, a line for each function, in an order that does not depend on the counts, so
 * that it can be kept under version control.
 */
#ifndef LDX_REPORT_BASELINE_H
#define LDX_REPORT_BASELINE_H

#include "report/figures/figures.h"

/* die() if it does not exist, or is no baseline. */
struct figures baseline_read(const char *path);
void baseline_write(const struct figures *f, const char *path);

#endif
