/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - what is proved of the whole object: liveness, how calls end, threads and handlers
 */
#ifndef LDX_CFG_PROGRAM_H
#define LDX_CFG_PROGRAM_H

#include "cfg/cfg.h"

/*
 * Fill in live_in and live_out of all blocks.  In opaque functions everything is live.
 * shared: other objects may preempt global symbols at run time.
 */
void cfg_liveness(struct cfg *g, bool shared);
/*
 * By function: call-clobbered registers that its callers rely on although no C function could know
 * of it, because they are kept over the call (-fipa-ra), or pass and return what the psABI does
 * not.  It changes what cfg_liveness() has found: that is to be found again.
 */
regset *cfg_kept(struct cfg *g, bool shared);
/* The registers live before an instruction that is no call; live: behind it. */
regset insn_live(const struct cfg *g, const struct insn *in, regset live);
/*
 * The registers that code inserted in f may change if live is live: dead flags, and dead registers
 * that f changes itself or that no calling convention passes.
 */
regset cfg_scratch(const struct cfg *g, const struct func *f, regset live);
/* Is it proved that f preserves no registers that only other calling conventions preserve? */
bool cfg_is_psabi(const struct cfg *g, const struct func *f);

/* How a call of a function ends, as far as is known. */
enum callee {
	CALLEE_ANY,
	CALLEE_RETURNS, /* it returns once, unless a signal kills the process */
	CALLEE_DIES,	/* a signal kills the process */
	CALLEE_LEAVES,	/* it does not return: exit, longjmp, throw */
};
struct returns {
	bool *func;	  /* do all calls of it return? */
	uint8_t *named;	  /* by symbol: enum callee, by its name */
	bool preemptible; /* other objects may preempt global symbols at run time */
};
/* After cfg_liveness(). */
struct returns *cfg_returns(const struct cfg *g, bool preemptible);
/* How the call at the end of block b ends. */
enum callee cfg_callee(const struct cfg *g, const struct returns *r, uint32_t b);
/* A guess, by the name alone: does the call at the end of block b never return? */
bool cfg_call_ends(const struct cfg *g, const struct returns *r, uint32_t b);

/*
 * Is a program that needs no shared library but the C library a single process with one thread?
 * *interrupted: signal handlers may interrupt that.
 */
bool cfg_is_single_thread(const struct cfg *g, bool dynamic, bool *interrupted);
/*
 * By function: may a signal handler run it, and then continue the code that it has interrupted?
 * NULL: this is not known.  After cfg_liveness().
 */
uint8_t *cfg_reentered(const struct cfg *g);

/* Does the program, or a library that it needs, use the thread base register of counters? */
bool cfg_uses_base(const struct cfg *g);
/* Does the program map memory at an address of its choice, below 2 GB? */
bool cfg_maps_low(const struct cfg *g);

/* Why something is so, and the function that shows it, or NO_FUNC; no text: it is not so. */
struct reason {
	const char *text;
	uint32_t func;
};
/*
 * May a signal handler end a function after any instruction, or make it continue twice there?
 * *unknown: why all functions whose address is taken are handlers.
 */
struct reason cfg_breaks_off(const struct cfg *g, bool preemptible, struct reason *unknown);
/* Library functions by which that may happen. */
enum name_kind {
	NAME_HANDLES = 1,  /* installs signal handlers */
	NAME_LEAVES = 2,   /* does not return to what a handler interrupted */
	NAME_FORKS = 4,	   /* makes a process that continues there too */
	NAME_CANCELS = 8,  /* lets a thread be cancelled anywhere */
	NAME_SYSCALL = 16, /* makes any system call */
	NAME_STOPS = 32,   /* ends another thread where that waits, as in a handler */
	NAME_LOOKS_UP = 64 /* finds functions by their names */
};
unsigned name_kinds(const char *name);
/* kinds: of all names that one library refers to.  May its own handlers break off functions? */
bool kinds_break_off(unsigned kinds);

/*
 * Reads the counts of an earlier profile from text, which is changed; fatal() if it is malformed.
 * path is for messages.
 */
struct prior_counts *prior_parse(struct arena *a, const char *path, char *text);
/* The counts of the blocks of f in order, without gaps; NULL: the file has none for f. */
const uint64_t *prior_counts(const struct prior_counts *v, const struct cfg *g,
	const struct func *f);

#endif
