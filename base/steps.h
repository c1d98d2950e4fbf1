/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.h - the cost of each step of a link, for --ldx-time
 *
 * One line for each step at its end: seconds, seconds of processor time in all threads and
 * children, and the peak of memory up to then.
 */
#ifndef LDX_BASE_STEPS_H
#define LDX_BASE_STEPS_H

#include <stdio.h>

/* Prints the steps of this process on out from here on, indented; the first step begins here. */
void steps_start(unsigned indent, FILE *out);

/* Ends the step called what; no effect when steps are not printed. */
void step_done(const char *what);

/* step_done() for a step in a child process that used peak kB. */
void step_done_by_child(const char *what, long peak);

#endif
