/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums.h - the walk of sums.c, and what passed.c does with it: labels that are passed to functions
 */
#ifndef LDX_CFG_SUMS_H
#define LDX_CFG_SUMS_H

#include "cfg/arithmetic.h"
#include "cfg/opaque.h"
#include "cfg/values.h"

#include "targets/stated.h"

/* A label, and what is added to it, in register reg of a call. */
struct argument {
	struct value v;
	uint8_t reg;
};
enum { ARGUMENTS = 8 }; /* of one call that are looked at together */
struct passing {
	uint32_t by, func; /* the caller, and the function that is called */
	uint32_t n, deep;  /* arguments; how many more calls they came through */
	regset zero;	   /* others, which are 0 */
	struct argument arg[ARGUMENTS];
};
typedef VEC(struct passing) passing_vec;

/* Bytes at a label in register reg are accessed, or (other not reg) it is subtracted from another.
 */
struct use {
	uint8_t reg, other;
	bool known; /* the bytes [from, to) from the label on; else: any */
	int64_t from, to;
};
/* What a function does with labels that are passed in registers args. */
struct summary {
	struct summary *next; /* of the same function */
	regset args, even;    /* even: those whose labels are, see is_even() */
	regset zero;	      /* others, which are 0 */
	VEC(struct use) use;
	passing_vec passing; /* in terms of the arguments */
};

/* What is stated of some functions. */
struct sum_facts {
	VEC(struct sum_at) sum;
	VEC(struct sums_at) sums;
	VEC(struct held_at) held;
};

struct walk {
	struct cfg *g;
	struct values v;
	const struct func *f;
	VEC(struct value) label; /* those that the function names */
	bool held[2];		 /* by code_only: sums of all of these are */
	bool seeks, found;	 /* nothing is held: it is only asked whether anything would be */
	bool stores;		 /* labels */
	bool adds_got;		 /* the GOT's distance, from another block, to a label */
	struct reached reached;
	VEC(struct based_field) based; /* of f; .label NO_LABEL: it is not known */
	VEC(struct based_field) all_based;
	opaque_parts opaque;
	passing_vec passing;
	struct sum_facts facts;
	struct summary *summary; /* of the function, which is interpreted for that only; or NULL */
};

static inline struct value code_label(uint32_t base, uint64_t n)
{
	return (struct value){LABEL, .flags = BOUNDED, .base = base, .n = (int64_t)n};
}

void sums_start(struct walk *w, struct cfg *g, unsigned worker);
void sums_free(struct walk *w);
/* Begin with function f; it names the label v. */
void sums_enter(struct walk *w, uint32_t f);
void sums_name(struct walk *w, struct value v);
/* Interpret it.  sure: it is known that something is to be held. */
void sums_walk(struct walk *w, bool sure);

/* A label is code if control reaches it otherwise than by its address. */
bool sums_is_code(struct walk *w, struct value v);
/* An empty piece, held for the label. */
struct lump sums_lump(const struct walk *w, enum opaque why, struct value label);
/* Hold what sums of the labels of v, if they are code, may be. */
void sums_hold_all(struct walk *w, struct value v);
/* The bytes at v are read or written, size of them at each place. */
void sums_hold_bytes(struct walk *w, struct value v, int64_t size);

/*
 * sum_facts.c: state what was found of the function; stored: memory may hold labels.  Then state
 * the same for all the program.
 */
void sum_facts_add(struct walk *w, bool stored);
void sum_facts_join(struct stated *to, struct sum_facts *all);

/* passed.c: apply what functions do with labels that are passed to them; frees the list. */
void passed_apply(struct cfg *g, passing_vec *all);

#endif
