/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.h - what each step of a link costs, for --ldx-time
 *
 * One line for each step, when it is done: seconds, seconds of processor time in all
 * threads and children, and the most memory that was in use at once by then.
 */
#ifndef LDX_BASE_STEPS_H
#define LDX_BASE_STEPS_H

#include <stdio.h>

/* From now on steps of this process are printed on out, indented; the first begins here. */
void steps_start(unsigned indent, FILE *out);

/* What was done since the step before; nothing when steps are not printed. */
void step_done(const char *what);

/* The same for a step done by a child that used peak kB. */
void step_done_by_child(const char *what, long peak);

#endif
