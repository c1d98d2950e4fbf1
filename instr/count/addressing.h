/* SPDX-License-Identifier: Apache-2.0 */
/* addressing.h - how counters are addressed, and which threads share them */
#ifndef LDX_INSTR_COUNT_ADDRESSING_H
#define LDX_INSTR_COUNT_ADDRESSING_H

#include "instr/plan.h"

/*
 * Choose how the plan's counters are addressed and checked, and add the symbols that their code
 * refers to.  Returns what calls do if counts are derived, else NULL.
 */
const struct returns *plan_addressing(struct plan *p, struct cfg *g);

/* Has the output a C library?  Then it is a Linux process, with vector registers of its own. */
bool has_libc(const struct plan *p);

#endif
