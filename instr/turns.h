/* SPDX-License-Identifier: Apache-2.0 */
/* turns.h - the section .ldx.turns: what the runtime changes when a second thread comes */
#ifndef LDX_INSTR_TURNS_H
#define LDX_INSTR_TURNS_H

#include "instr/plan.h"

/* After emit_code(), where counters are ACCESS_TURNED: add the section, and its symbol. */
void turns_write(const struct plan *p);

#endif
