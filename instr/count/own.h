/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.h - edges that are counted although their counts would follow: --ldx-stress
 */
#ifndef LDX_INSTR_COUNT_OWN_H
#define LDX_INSTR_COUNT_OWN_H

#include "instr/count/count.h"

/* Marks the edges of the function that have a counter in any case, as the options say. */
void plan_own(const struct rewrite_options *opt, struct flow *w);

#endif
