/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow.h - where control can go in the old code: flow.c, for those who ask that
 */
#ifndef LDX_VERIFY_FLOW_H
#define LDX_VERIFY_FLOW_H

#include "verify/priv.h"

/* Instructions from where a function begins, or a call leads, to the next such place. */
struct part {
	uint32_t first; /* insn; the last part is an empty one behind all */
	uint32_t text;
	uint32_t func;	   /* the first part of its function, */
	uint32_t func_end; /* and the one behind that */
	bool idle;	   /* nothing leads there: data, most likely */
	bool odd;	   /* its returns may lead anywhere */
	bool jumps;	   /* has an indirect jump */
	bool func_jumps;   /* of the first part: the function has one */
};

struct flow {
	struct verify *v;
	VEC(struct part) part;
	vpad_vec pad;
	uint64_t *taken;   /* insns whose address is taken, in tables of labels as well; by insn
			      number */
	uint64_t *perhaps; /* those that a word of a table may lead to, by another base */
	uint64_t *open;	   /* those that any indirect call or jump may lead to */
	uint64_t *entry;   /* those entered by name, or by an address that is not in such a table */
	uint64_t *by_table; /* indirect jumps that lead to taken insns of their function only */
};
void flow_open(struct flow *w, struct verify *v);
void flow_close(struct flow *w);

/* What is found by a distance from code is where it was, seen from there. */
void verify_sums(const struct flow *w);
/* Code whose length may stand in a number has that length. */
void verify_sizes(const struct flow *w);
/* What control is not led by: descriptions, and what codecs read. */
bool leads_nowhere(const struct section *s);

/* Does control go on from the part behind its last instruction? */
bool falls_out(const struct flow *w, uint32_t part);
uint32_t part_of(const struct flow *w, uint32_t k);
/* The first insn of the function that k is in, as symbols say. */
uint32_t function_of(const struct verify *v, const struct vtext *t, uint32_t k);
/* Is there only padding between the end of k and another function, or data behind this one? */
bool ends_function(const struct verify *v, const struct vtext *t, uint32_t k);

#endif
