/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.h - statistics and explanations of a link: --ldx-stats, --ldx-explain
 */
#ifndef LDX_INSTR_STATS_H
#define LDX_INSTR_STATS_H

#include "instr/plan.h"

/* Functions, blocks, bytes, counters by kind of code, opaque functions by reason, lost sections. */
void stats_print(const struct plan *p, FILE *f);

/* Describe the functions named name: blocks, tables, why one is opaque.  False: there are none. */
bool explain_print(const struct plan *p, const char *name, FILE *f);

#endif
