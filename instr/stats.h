/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.h - what ldx tells about a link when asked: --ldx-stats, --ldx-explain
 */
#ifndef LDX_INSTR_STATS_H
#define LDX_INSTR_STATS_H

#include "instr/plan.h"

/* Functions, blocks, bytes, counters by kind of code, opaque functions by reason, lost sections. */
void stats_print(const struct plan *p, FILE *f);

/* The functions named name: blocks, edges, tables, or why one is opaque.  False: none. */
bool explain_print(const struct plan *p, const char *name, FILE *f);

#endif
