/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - what is proved of the whole object: liveness, how calls end, threads and handlers
 */
#ifndef LDX_CFG_PROGRAM_H
#define LDX_CFG_PROGRAM_H

#include "cfg/cfg.h"

/*
 * Fill in live_in and live_out of all blocks.  In opaque functions everything is live.
 * shared: global symbols may turn out to be others at run time.
 */
void cfg_liveness(struct cfg *g, bool shared);
/* The live set before an instruction that is no call, given that behind it. */
regset insn_live(const struct cfg *g, const struct insn *in, regset live);
/* What inserted code in f may change where live is live: dead flags, and dead registers that f
 * changes itself or that no calling convention passes. */
regset cfg_scratch(const struct cfg *g, const struct func *f, regset live);
/* Is it certain that f does not keep what only other calling conventions keep? */
bool cfg_is_psabi(const struct cfg *g, const struct func *f);

/* How a call ends, as far as that is known. */
enum callee {
	CALLEE_ANY,
	CALLEE_RETURNS,	/* behind the call, once; if the process is not killed by a signal */
	CALLEE_DIES,	/* the process is killed by a signal */
	CALLEE_LEAVES,	/* elsewhere */
};
struct returns {
	bool *func;		/* do all calls of it return? */
	uint8_t *named;		/* by symbol: what its name says, enum callee */
	bool preemptible;	/* global symbols may turn out to be others at run time */
};
/* After cfg_liveness(). */
struct returns *cfg_returns(const struct cfg *g, bool preemptible);
/* Of the call that ends block b. */
enum callee cfg_callee(const struct cfg *g, const struct returns *r, uint32_t b);
/* A guess, by the name alone: does it never return? */
bool cfg_call_ends(const struct cfg *g, const struct returns *r, uint32_t b);

/* Does a program that needs no shared library but the C library neither fork nor make threads? */
bool cfg_alone(const struct cfg *g);

/* Does the program, or a library that it needs, use what threads find their counters by? */
bool cfg_uses_base(const struct cfg *g);
/* Does it ask for memory at an address of its own, below 2 GB? */
bool cfg_maps_low(const struct cfg *g);

/* May control leave a function for good behind any instruction, or go on there twice? */
bool cfg_breaks_off(const struct cfg *g, bool preemptible);
/* What functions of the C library and the like do that, or can make a handler do it. */
enum name_kind {
	NAME_HANDLES = 1,	/* installs handlers of signals */
	NAME_LEAVES = 2,	/* leaves what a handler has interrupted */
	NAME_FORKS = 4,		/* makes a process that goes on in it as well */
	NAME_CANCELS = 8,	/* lets a thread be ended anywhere */
};
unsigned name_kinds(const char *name);
/* Of all names that one library refers to: does it leave what it interrupts itself? */
bool kinds_break_off(unsigned kinds);

/* Counts of an earlier profile, from the file at path; what is wrong with it is fatal(). */
struct given *given_read(struct arena *a, const char *path);
/* Those of f's blocks that are no gaps, in their order; NULL: there are none for it. */
const uint64_t *given_counts(const struct given *v, const struct cfg *g, const struct func *f);

#endif
