/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invariants.h - checks of the passes' invariants (rewrite.c), where they cost little
 *
 * A violation is a bug() of ldx.  verify/ checks the object itself.
 */
#ifndef LDX_INSTR_INVARIANTS_H
#define LDX_INSTR_INVARIANTS_H

struct cfg;
struct layout;
struct plan;

void check_analysis(const struct cfg *g);
void check_plan(const struct plan *p);
void check_layout(const struct plan *p, const struct layout *lay);
void check_code(const struct plan *p, const struct layout *lay);

#endif
