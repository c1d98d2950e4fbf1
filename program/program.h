/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - what the program does with the C library, signals and threads: how calls end, what
 * handlers of signals may do, whether there are threads
 */
#ifndef LDX_PROGRAM_PROGRAM_H
#define LDX_PROGRAM_PROGRAM_H

#include "cfg/cfg.h"
#include "program/library.h"

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

/* What may execute a program, beside its first thread. */
struct tasks {
	bool threads;	  /* other threads */
	bool processes;	  /* processes that it forks */
	bool interrupted; /* handlers of signals */
};
/* dynamic: it may need shared libraries.  shared: it is one itself, so that all may be. */
struct tasks cfg_tasks(const struct cfg *g, bool dynamic, bool shared);
/*
 * By function: may a signal handler run it, and then continue the code that it has interrupted?
 * NULL: this is not known.  After cfg_liveness().
 */
uint8_t *cfg_reentered(const struct cfg *g);
/* The same for a program that may have several threads and processes. */
uint8_t *cfg_reentered_tasks(const struct cfg *g);

/* Does the program, or a library that it needs, use the thread base register of counters? */
bool cfg_uses_base(const struct cfg *g);
/* May the program change the thread pointer? */
bool cfg_sets_thread(const struct cfg *g);
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

#endif
