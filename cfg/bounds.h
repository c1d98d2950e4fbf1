/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds.h - how large a number may be: by what makes it, and by a compare in front of a branch
 *
 * Several branches may follow one compare: what the flags compare is known from block to block
 * (COMPARED).
 */
#ifndef LDX_CFG_BOUNDS_H
#define LDX_CFG_BOUNDS_H

#include "cfg/values.h"

/* The number of values that are worth a table: a compare with more says nothing. */
enum { MOST_ENTRIES = 4096 };

/* BOUND, or ANYTHING.  most: of all eight bytes; low: of the low four. */
static inline struct value bound(uint64_t most, uint64_t low)
{
	low = low < most ? low : most;
	return low >= UINT32_MAX && most > UINT32_MAX
		? (struct value){.what = ANYTHING}
		: (struct value){BOUND, .n = (int64_t)most, .base = (uint32_t)low};
}
static inline bool is_bound(struct value v)
{
	return v.what == BOUND || v.what == COMPARED;
}
static inline uint64_t low_of(struct value v)
{
	return is_bound(v) ? v.base : UINT32_MAX;
}
static inline uint64_t most_of(struct value v)
{
	return is_bound(v) ? (uint64_t)v.n : UINT64_MAX;
}
static inline struct value not_compared(struct value v)
{
	return v.what == COMPARED ? bound(most_of(v), low_of(v)) : v;
}

/* The largest number that the instruction, which makes one, leaves; UINT64_MAX: not known. */
uint64_t largest_made(const struct insn *in, const struct operation *op);

/*
 * How many values have registers where branch i does, or (taken) does not, fall through: by the
 * compare in front of it, from insn first on?  0: any; size: of each register the bytes that are
 * compared.
 */
uint32_t compared(const struct cfg *g, struct decoder *d, const struct code_section *c,
	uint32_t first, uint32_t i, bool taken, uint8_t size[REGS]);

/* BOUND, or ANYTHING: of what the instruction makes. */
struct value step_bound(const struct step_at *at, const struct state *s,
	const struct operation *op);
/* The registers on which the bound depends, or who made it, of what the operation makes. */
regset bounds_depend(const struct operation *op);
/* What the flags compare behind the instruction: COMPARED; nothing else is so any more. */
void step_compare(const struct step_at *at, struct state *s, const struct operation *op);
/* No register is known to hold what the flags compare. */
void forget_compared(const struct values *v, struct state *s);
/* Does the branch at the end of block b say how large what the flags compare is? */
bool bounds_by_flags(const struct values *v, uint32_t b);
/* The bounds of *s that the branch at the end of block b implies where it leads, or falls through.
 */
void bound_edge(const struct values *v, uint32_t b, bool taken, struct state *s);

static inline bool may_change_flags(const struct insn *in)
{
	return (in->flags & INSN_VAGUE) || insn_effects(in)->clobbers & REGSET_FLAGS;
}
/* May insn in change the register? */
static inline bool may_change(const struct target *t, const struct insn *in, int reg)
{
	bool calls = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	return (in->flags & INSN_VAGUE) || insn_effects(in)->clobbers & REG_BIT(reg) ||
		(calls && t->abi.call_clobbers & REG_BIT(reg));
}

#endif
