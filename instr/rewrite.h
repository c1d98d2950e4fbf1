/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite.h - the object in, the instrumented object out: steps 3 to 6 of ldx
 */
#ifndef LDX_INSTR_REWRITE_H
#define LDX_INSTR_REWRITE_H

#include "instr/select.h"
#include "reloc/claim.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Which blocks get counters of their own: --ldx-placement. */
enum placement {
	PLACE_AUTO,   /* the fewest, or every where control may leave a function behind any insn */
	PLACE_FEWEST, /* as many as tell all counts */
	PLACE_EVERY,  /* and in mode edges some edges beside */
};

/* Where counters are. */
enum cells {
	CELLS_NEAR,   /* in the output, wherever that is loaded */
	CELLS_LOW,    /* in the output, which is loaded where it was linked: below 2 GB */
	CELLS_MAPPED, /* at LDX_CELLS, where the runtime maps them before the program runs */
};

struct arena;
struct origins;
struct outside;

struct rewrite_options {
	int mode;	/* LDX_MODE_*, see runtime/abi.h */
	int counters;	/* enum counter_access, see targets/target.h: --ldx-counters */
	int placement;	/* enum placement */
	int cells;	/* enum cells: the best that may be chosen */
	bool shared;	/* a shared object is made: its global symbols may be preempted */
	bool dynamic;	/* the program has a dynamic linker: threads come from a libc outside */
	bool ends;	/* the runtime is told when the process leaves main */
	bool libc_only; /* the output needs no shared library but the C library */
	const char *const
		*entered; /* symbols at which the program is entered, up to NULL; or NULL */
	const char *const
		*expressions; /* what symbols are set to when linking, up to NULL; or NULL */
	const struct origins *origins; /* of the object: reloc/object.h; borrowed; or NULL */
	const struct outside *outside; /* of those it needs: reloc/outside.h; borrowed; or NULL */
	bool stress; /* --ldx-stress=SEED: no-ops before instructions, at random */
	bool poison; /* --ldx-stress=poison[:SEED]: code that overwrites what is dead */
	bool order;  /* --ldx-stress=order[:SEED]: functions of a section in another order */
	bool exits;  /* --ldx-stress=exits: what leaves a function is counted right there */
	bool after;  /* --ldx-stress=after: what returns from a call is counted behind it */
	bool tables; /* --ldx-stress=tables: each edge of a jump table that can be counted is */
	uint64_t stress_seed, poison_seed, order_seed;
	bool stats;	  /* --ldx-stats */
	bool time;	  /* --ldx-time */
	FILE *log;	  /* where these print; NULL: standard error */
	unsigned threads; /* how many work; 0: one for each processor */
	bool map;	  /* write .ldx.map also where nothing is counted (--ldx-map) */
	const struct prior_counts *prior; /* --ldx-use-profile: cfg/cfg.h; borrowed; or NULL */
	const char *profile; /* --ldx-profile=PATTERN: the default name of the profile; or NULL */
	const char *dump;    /* --ldx-dump=DUMPS, on standard output: cfg/dump.h; or NULL */
	const char *explain; /* --ldx-explain=FUNC, on standard output; or NULL */
	struct func_patterns patterns; /* --ldx-only, --ldx-skip; borrowed */
	claim_vec *claims; /* where to append what is claimed of inserted code; borrowed; or NULL */
};

struct rewritten {
	bool single_thread; /* the program neither forks nor makes a thread: the runtime need not
			       notice */
	bool controls;	    /* it calls what controls its counters: LDX_CONTROLS */
};

/* Is it one of LDX_CONTROLS, which the runtime defines where a program refers to them? */
bool is_control(const char *name);

/*
 * Read the combined object at in, write the instrumented one to out.  For a
 * process of its own: what cannot be done is fatal(), with a message on
 * diag_stream and status 1, and may leave an incomplete out.
 *
 * The output defines the hidden symbols __ldx_info and __ldx_counters when mode
 * counts anything (runtime/abi.h) and has a .ldx.map section then or with map.
 * All memory is a's.
 */
struct rewritten rewrite_object(struct arena *a, const char *in, const char *out,
	const struct rewrite_options *opt);

#endif
