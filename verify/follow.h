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
	int place;
	uint8_t holds;
};

/* Who follows what: a state of his own, in front of the current instruction. */
struct follower {
	unsigned kinds; /* a set of enum holds: 1 << kind */
	/* Is it as stated in that state?  NULL: nothing is known. */
	bool (*includes)(void *ctx, const struct said *f, const void *state);
	/* Begin with a state of which nothing is known; then that is stated. */
	void (*start)(void *ctx);
	void (*add)(void *ctx, const struct said *f);
	/* Execute instruction k.  Returns the state with which it branches. */
	const void *(*execute)(void *ctx, uint32_t k);
	/* Control goes to where indirect jump k leads: follow_to(). */
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
};

void follow_open(struct follow *p, const struct flow *w, const struct follower *by, void *ctx,
	const void *now);
void follow_close(struct follow *p);
/* Set the current function: the one whose first part is `part'; is anything stated there? */
bool follow_enter(struct follow *p, uint32_t part);
/* Follow it, from its first instruction to its last. */
void follow_run(struct follow *p);
/* Control comes from instruction `from' to k with that state; NULL: nothing is known. */
void follow_to(struct follow *p, uint32_t from, uint32_t k, const void *state);
/*
 * Control comes to places from elsewhere, with anything; taken: also to labels whose address is
 * taken.  After all functions.
 */
void follow_entries(struct follow *p, bool taken);

#endif
