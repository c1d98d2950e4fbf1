/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arithmetic.h - values of the kinds RANGE, LABEL and GOT_DISTANCE: numbers, and labels of code
 * with what was added to them
 */
#ifndef LDX_CFG_ARITHMETIC_H
#define LDX_CFG_ARITHMETIC_H

#include "cfg/values.h"

/* In place of a label's section: n is the register that the label was passed in. */
enum { PASSED = UINT32_MAX };

/* ANYTHING if it may be too large. */
struct value value_number(int64_t lo, int64_t hi);
/* Is v the number n?  Is v, a label, one to which nothing is added? */
bool value_is_number(struct value v, int32_t n);
bool value_is_exact(struct value v);
struct value value_plus(struct value a, struct value b);

struct value value_in(const struct step_at *at, const struct state *s, int reg);
/* The value of op->dst behind the instruction, or of all registers that it changes. */
struct value step_result(const struct step_at *at, const struct state *s,
	const struct operation *op);

/* The label that a relocated word holds. */
struct value value_relocated(const struct cfg *g, const struct ref *r);
/* The label that the instruction refers to, or that is in the word it refers to. */
struct value step_names(const struct step_at *at);
/* Has the instruction the place of an entry in the GOT, which the linker knows? */
bool step_reads_got(const struct step_at *at);
/* The relocation of the instruction that may count from a label in a register, or NULL. */
const struct reloc *step_based(const struct step_at *at);

/* Where a branch leads, as far as the values that it compares say. */
enum way { EITHER_WAY, TO_TARGET, TO_NEXT };
enum way step_way(const struct step_at *at, const struct state *s);
/* Does the instruction call a function that never returns, by its address? */
bool step_never_returns(const struct step_at *at, const struct state *s);

#endif
