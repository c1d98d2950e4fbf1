/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums.h - what is followed to find sums of a code address and a number (sums.c)
 */
#ifndef LDX_VERIFY_SUMS_H
#define LDX_VERIFY_SUMS_H

#include "verify/follow.h"
#include "verify/tables.h"

enum { MANY = UINT32_MAX };

/* What a register may hold. */
struct value {
	uint32_t label; /* 1 + its number; MANY: any label that the function names; 0: none */
	bool sum;	/* something was added to the label */
	bool loaded;	/* uncertain: loaded from memory, or derived by other arithmetic */
	bool others;	/* not loaded: or perhaps another label */
	bool ends;	/* MANY: but starts of functions that never return only */
	bool from_got;	/* a distance to the GOT; no other field is set then */
	bool bounded;	/* the number, or the number added to the label, is in [lo, hi] */
	int64_t lo, hi;
};

struct label {
	uint32_t text;
	uint64_t x;
	bool asked, code; /* cached result of is_code() */
	/* Where all instructions that make its address say that it is now. */
	enum { PLACED_NOT, PLACED, PLACED_UNKNOWN } placed;
	uint64_t y;
};

struct state {
	regset some; /* registers whose reg[] is valid; of the others nothing is known */
	struct value reg[REGS];
};

struct sums {
	struct verify *v;
	const struct flow *w;
	uint64_t *reached; /* reachable insns of the functions that is_reached() was asked about */
	uint64_t *based;   /* insns with a distance from the label in a register, which is right */
	struct follow f;
	struct state now, taken, before; /* before: a slot that is executed if a branch is taken */
	/* of the current function: */
	const struct vtext *t;
	uint32_t from, to;
	VEC(struct label) label;
	bool stored; /* memory may hold labels, so a load may yield one */
};

/* sumplaces.c: labels, and where they are now -------------------------------- */

/* The number of the function's label at x of section sec; it is added if it is new. */
uint32_t label_number(struct sums *s, uint32_t sec, uint64_t x);
/* Instruction k makes the address of label n by its pc-relative field. */
uint32_t placed_by(struct sums *s, uint32_t n, uint32_t k);
/* The same, but not by such a field, or by an unknown one. */
uint32_t placed_elsewhere(struct sums *s, uint32_t n);
/* Is each place in [l + lo, l + hi] as far from label l as it was? */
bool keeps_distances(struct sums *s, const struct label *l, int64_t lo, int64_t hi);
/* Is insn k reachable from its function's start by direct branches and falling through? */
bool is_reached(struct sums *s, const struct vtext *t, uint32_t k);
/* Is the label that of a reachable instruction? */
bool is_code(struct sums *s, struct label *l);
/* Instruction k computes v or (entered) transfers control to it: check that the place is kept. */
void judge_sum(struct sums *s, uint32_t k, struct value v, bool entered);

/* sumvalues.c: values of registers ------------------------------------------- */

/* Unknown if an end is no number of 32 bits. */
struct value number_between(int64_t lo, int64_t hi);
/* A number of size bytes, fewer than eight. */
struct value of_size(unsigned size, bool sext);
struct value one_label(uint32_t n, bool loaded);
/* What a load may yield: any label of the function, if it stores one. */
struct value any_label(const struct sums *s);
bool same_value(struct value a, struct value b);
/* One or the other. */
struct value either_value(struct value a, struct value b);
/* Is all that is known of v true of what is stated? */
bool includes_value(struct value stated, struct value v);
/* a + b, and a - b. */
struct value plus_value(struct value a, struct value b);
struct value minus_value(struct value a, struct value b);
struct value state_value(const struct state *at, int reg);
void set_value(struct state *at, int reg, struct value v);
struct value reg_value(const struct sums *s, int reg);
/*
 * The result of other arithmetic on these registers, and on memory if mem, such as the mangling of
 * pointers: it adds no distance to a label.
 */
struct value mixed_value(const struct sums *s, regset reads, bool mem);
/* a and or or b, by instruction in. */
struct value masked_value(const struct sums *s, const struct insn *in, struct value a,
	struct value b);
/* The value of the register times by. */
struct value times_value(const struct sums *s, int reg, int64_t by);
/* v after a move of its low op->size bytes. */
struct value moved_value(struct value v, const struct operation *op);

#endif
