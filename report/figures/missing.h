/* SPDX-License-Identifier: Apache-2.0 */
/*
 * missing.h - what sums over a run do not include
 */
#ifndef LDX_REPORT_MISSING_H
#define LDX_REPORT_MISSING_H

#include "report/figures/filter.h"
#include "report/read/program.h"

/*
 * Warn of opaque functions, of those that the filter takes, that were executed, and of lost
 * processes and threads.
 */
void warn_missing(const struct run *run, const struct filter *filter);

#endif
