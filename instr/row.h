/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row.h - the thread-local words by which threads find their counters
 *
 * They are data of the program, as each thread begins with the program's own counters.
 */
#ifndef LDX_INSTR_ROW_H
#define LDX_INSTR_ROW_H

#include "instr/plan.h"

/* Add the section of p->addressing.row, if there is one; the counters have their section. */
void row_add(const struct plan *p);

#endif
