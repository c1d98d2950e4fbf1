/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.h - edges that --ldx-stress counts although their counts follow from others
 */
#ifndef LDX_INSTR_COUNT_OWN_H
#define LDX_INSTR_COUNT_OWN_H

#include "instr/count/count.h"

/* Sets own of the edges that get a counter because of the options exits, after and tables. */
void plan_own(const struct rewrite_options *opt, struct flow *w);

#endif
