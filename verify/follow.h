/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - one pass over a function, with what is stated where its blocks begin (follow.c)
 */
#ifndef LDX_VERIFY_FOLLOW_H
#define LDX_VERIFY_FOLLOW_H

#include "verify/flow.h"

#include "targets/stated.h"

enum { REGS = 32 };

/* What is stated in front of instruction insn. */
struct said {
	uint32_t insn, n;
	int place; /* of HOLDS_SUM: a set of registers */
	uint8_t holds;
	bool seen, open; /* control comes there from the function, from elsewhere */
};

enum going { EITHER_WAY, TO_TARGET, TO_NEXT };

/* Who follows what: a state of his own, in front of the current instruction. */
struct follower {
	unsigned kinds; /* a set of enum holds: 1 << kind */
	bool raises;	/* it follows exceptions to their landing pads, too */
	/* What f->n of a fact in that text stands for; false: there is no such.  NULL: a number. */
	bool (*read)(void *ctx, const struct vtext *t, struct said *f);
	/* Is it as stated in that state?  NULL: nothing is known. */
	bool (*includes)(void *ctx, const struct said *f, const void *state);
	/* Does the state know something that counts, of which nothing is in the n facts?  Or NULL.
	 */
	bool (*misses)(void *ctx, const struct said *f, size_t n, const void *state);
	/* Begin with a state of which nothing is known; then that is stated. */
	void (*start)(void *ctx);
	/* False: that control does not come there. */
	bool (*add)(void *ctx, const struct said *f);
	/* Where control goes from k, as far as the state says.  Or NULL. */
	enum going (*going)(void *ctx, uint32_t k);
	/* Execute instruction k.  Returns the state with which it branches. */
	const void *(*execute)(void *ctx, uint32_t k);
	/* Control goes to where indirect jump k leads: follow_to().  NULL: nothing is known there.
	 */
	void (*lead)(void *ctx, uint32_t k);
};

struct follow {
	struct verify *v;
	const struct flow *w;
	const struct follower *by;
	void *ctx;
	const void *now;       /* the state of ctx */
	VEC(struct said) fact; /* by insn and place */
	uint64_t *done;	       /* parts of functions that were followed */
	/* the current function */
	const struct vtext *t;
	uint32_t text, from, to;
	size_t next; /* the first fact that is not behind the current instruction */
};

void follow_open(struct follow *p, const struct flow *w, const struct follower *by, void *ctx,
	const void *now);
void follow_close(struct follow *p);
/* Set the current function: the one whose first part is `part'. */
void follow_enter(struct follow *p, uint32_t part);
/* Is anything stated in front of instruction k? */
bool follow_says(const struct follow *p, uint32_t k);
/* What is stated in it, and how much that is. */
const struct said *follow_facts(const struct follow *p, size_t *n);
/*
 * Follow it, from its first instruction to its last; it begins with that state, or (NULL) with one
 * of which nothing is known.
 */
void follow_run(struct follow *p, const void *state);
/* Control comes from instruction `from' to k with that state; NULL: nothing is known. */
void follow_to(struct follow *p, uint32_t from, uint32_t k, const void *state);
/*
 * Control goes from jump k to where its table leads, as is stated, with the current state; false:
 * it is by none that is known.
 */
bool follow_tables(struct follow *p, uint32_t k);
/*
 * Control comes to places from elsewhere, with anything; taken: also to labels whose address is
 * taken.  After all functions.
 */
void follow_entries(struct follow *p, bool taken);

#endif
