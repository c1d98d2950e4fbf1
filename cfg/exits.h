/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exits.h - where control leaves a function
 *
 * Every way out of a function that is understood ends one of its blocks.  Exceptions that pass
 * through it leave at a landing pad's end or, where it has none, at a call; what handlers of
 * signals do is no exit.
 */
#ifndef LDX_CFG_EXITS_H
#define LDX_CFG_EXITS_H

#include "cfg/cfg.h"

enum exit_kind {
	EXIT_RETURN,
	EXIT_JUMP,     /* a tail call */
	EXIT_BRANCH,   /* the same, if the branch is taken */
	EXIT_INDIRECT, /* an indirect jump to a place that is not in the function, or not known */
	EXIT_FALL,     /* control falls through into what is behind the function */
	EXIT_CALL,     /* a call that does not return: exit, throw */
	EXIT_RESUME,   /* the same: a landing pad's, when it lets an exception pass on */
	EXIT_LONGJMP,  /* the same: longjmp and its like, which return in another frame */
	EXIT_SYSCALL,  /* a system call that ends the thread or process */
	EXIT_TRAP,
};
enum { EXIT_KINDS = EXIT_TRAP + 1 };

/* EXIT_BRANCH: the taken edge of block; EXIT_FALL: its other one; else in front of its last insn.
 */
struct exit {
	uint32_t block;
	uint8_t kind; /* enum exit_kind */
};

/* A cursor over the exits of one function, in the order of the code. */
struct exits {
	const struct cfg *g;
	struct decoder *decoder; /* cfg_decoder() of the worker */
	uint32_t block, end;
	uint8_t part; /* of the current block: what is next */
};

/* After cfg_build().  An opaque function has none that are known. */
void exits_start(struct exits *x, const struct cfg *g, struct decoder *d, uint32_t func);
/* False: there are no more. */
bool exits_next(struct exits *x, struct exit *e);

/* By enum exit_kind. */
extern const char *const exit_text[EXIT_KINDS];

#endif
