/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow.h - control flow of the old code (flow.c)
 */
#ifndef LDX_VERIFY_FLOW_H
#define LDX_VERIFY_FLOW_H

#include "verify/state.h"

/* Instructions from a function's start or end, or a call's target, to the next such place. */
struct part {
	uint32_t first; /* insn; the last part is an empty sentinel */
	uint32_t text;
	uint32_t func;	   /* the first part of its function */
	uint32_t func_end; /* the first part behind the function */
	bool idle;	   /* unreachable: most likely data */
	bool odd;	   /* its returns may lead anywhere */
	bool jumps;	   /* has an indirect jump */
	bool func_jumps;   /* in the function's first part: a part of the function has one */
};

/* A label in another function, where jumps of func (its first part) lead by a table. */
struct across {
	uint32_t func, label;
};

/* Code of function func (its first part) refers to the table. */
struct table_use {
	struct vbase table;
	uint32_t func;
	bool labels; /* a word of the table leads into func, to no symbol */
};

/* What is stated of the function that begins with insn: registers that calls of it change. */
struct vchanges {
	uint32_t insn;
	regset set;
};

struct flow {
	struct verify *v;
	VEC(struct part) part;
	VEC(struct across) across;
	VEC(struct table_use) user; /* sorted */
	uint64_t *has_table; /* functions that refer to a table of their labels; by first part */
	vpad_vec pad;
	VEC(struct vchanges) changes; /* sorted */
	/* sets of insns, by insn number */
	uint64_t *taken;     /* address-taken, in tables of labels as well */
	uint64_t *named;     /* of them, those that are not in tables of scaled distances only */
	uint64_t *scaled;    /* those that are in such tables */
	uint64_t *perhaps;   /* targets of words of tables, with each base that they may have */
	uint64_t *open;	     /* any indirect call or jump may lead there */
	uint64_t *entry;     /* exported, or address-taken other than in tables of labels */
	uint64_t *endless;   /* first insns of functions that never return */
	uint64_t *led_to;    /* targets of reached branches and of tables, landing pads, starts of
				parts */
	uint64_t *reached;   /* control may come there */
	uint64_t *addressed; /* named by an address, not by tables of distances only */
	uint64_t *by_table;  /* indirect jumps that lead to taken insns of their function only */
};
void flow_open(struct flow *w, struct verify *v);
void flow_close(struct flow *w);

/*
 * reached.c: is what begins at x, in instruction k, whose address some code takes, code up to a
 * jump or return?  Not within an instruction: that and all behind it is data which was taken for
 * code.
 */
bool looks_like_code(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t x);
/* Set w->reached; then w->led_to. */
void find_reached(struct flow *w);
void find_led_to(struct flow *w);
/* Does control never go on behind the instruction? */
bool stops(const struct insn *in);

/*
 * stack.c: registers that the part sets from its stack pointer, or from another of these, or loads
 * from its stack.
 */
regset stack_copies(const struct flow *w, uint32_t part);
/*
 * Does the part set its stack pointer to a value not derived from it or, if it is called, use its
 * return address before it pushes anything, or return to what it pushes?  Then its return
 * instruction may be a jump.
 */
bool is_stack_odd(const struct flow *w, uint32_t part);

/* endless.c: set w->endless to what is stated, and check that; is insn k a call of such a function?
 */
void check_endless(struct flow *w);
bool is_last_call(const struct flow *w, const struct vtext *t, uint32_t k);
/* changes.c: set w->changes to what is stated, and check that; what does call k change? */
void check_changes(struct flow *w);
regset call_changes(const struct flow *w, uint32_t k);
/* called.c: functions whose entries the map has as a sum of counters have no other entries. */
void verify_called(const struct flow *w);
/* map.c: which blocks the map calls entries. */
void verify_entries(const struct flow *w);
/* What is stated of registers and words of the frame is true, and jumps use their tables. */
void verify_values(const struct flow *w);
/* halves.c: which high half is each low half added to? */
void find_pairs(const struct flow *w);
/* Distances from labels, computed by instructions, still lead to the same place. */
void verify_sums(const struct flow *w);
/* The length of code that the program may copy has not changed. */
void verify_sizes(const struct flow *w);
/* Sections whose relocations are no control flow: metadata and unwind tables. */
bool leads_nowhere(const struct section *s);

/* labels.c: who refers to which table; before addresses are taken. */
void find_users(struct flow *w);
/*
 * Note that a word of the table leads to x of section sec, if that is in another function than one
 * that refers to the table, has labels in it, and jumps.  Is it there for such jumps only?
 */
bool take_across(struct flow *w, struct vbase table, uint32_t sec, uint64_t x);
/* parts.c: does a symbol of a function, or a call, name k? */
bool is_named(const struct verify *v, const struct vtext *t, uint32_t k);

/* Cut the code into parts. */
void cut_parts(struct flow *w);
bool starts_function(const struct verify *v, const struct vtext *t, uint32_t k);
/* Does control fall through from the part into the next one? */
bool falls_out(const struct flow *w, uint32_t part);
uint32_t part_of(const struct flow *w, uint32_t k);
/* The first insn of k's function, by its symbol. */
uint32_t function_of(const struct verify *v, const struct vtext *t, uint32_t k);
/* Is k followed, after padding, by another function, the section's end, or data? */
bool ends_function(const struct verify *v, const struct vtext *t, uint32_t k);
/* Did [from, to) move as one piece, with nothing inserted in it or in front of it? */
bool is_unmoved(const struct verify *v, const struct vtext *t, uint64_t from, uint64_t to);
/* Is the section unchanged in size and offsets (or broken)? */
bool is_rigid(const struct verify *v, uint32_t text);

#endif
