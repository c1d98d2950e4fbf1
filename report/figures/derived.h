/* SPDX-License-Identifier: Apache-2.0 */
/* derived.h - what calls executed that a tool has not measured, as it follows from others */
#ifndef LDX_REPORT_DERIVED_H
#define LDX_REPORT_DERIVED_H

#include "report/figures/arcs.h"
#include "report/figures/calls.h"

/*
 * Makes calls in object p measured, if the tool says so: what the calls of a function execute is
 * what it executes itself and what its own calls do.  Not if calls were open when their thread was
 * stopped: what these executed is in no sum.
 */
void calls_derive(const struct program *p, const struct arcs *a, struct calls *c);

#endif
