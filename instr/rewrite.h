/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite.h - from the combined object to the instrumented one
 */
#ifndef LDX_INSTR_REWRITE_H
#define LDX_INSTR_REWRITE_H

#include "instr/select.h"
#include "reloc/claim.h"
#include "targets/code.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Which blocks get counters of their own: --ldx-placement. */
enum placement {
	PLACE_AUTO,   /* EVERY if control may leave a function behind any insn, else FEWEST */
	PLACE_FEWEST, /* a smallest set from which all counts follow */
	PLACE_EVERY,  /* all blocks; in mode edges some edges too */
};

/* Where counters are. */
enum cells {
	CELLS_NEAR,   /* in the output, wherever that is loaded */
	CELLS_LOW,    /* in the output, which is loaded where it was linked: below 2 GB */
	CELLS_MAPPED, /* at LDX_CELLS, where the runtime maps them before the program runs */
};

/* A tool that takes part in the link: instr/tool/tool.h. */
struct tool_use {
	const char *name;
	const char *options;		    /* NAME=VALUE[:NAME=VALUE]..., or "" */
	const char *package;		    /* as its user calls it */
	const char *asks;		    /* the shared object that asks for code */
	const char *routines[ACCESS_KINDS]; /* objects with its routines, or NULL: it has none */
	const char *linked;		    /* where that is written for the last link */
};

struct arena;
struct stated;
struct origins;
struct outside;

struct rewrite_options {
	int mode;      /* LDX_MODE_*, see runtime/abi.h */
	int counters;  /* enum counter_access, see targets/target.h: --ldx-counters */
	int placement; /* enum placement */
	int cells;     /* enum cells: the best that may be chosen */
	bool shared;   /* a shared object is made: its global symbols may be preempted */
	bool moves;    /* the output is position-independent */
	bool high;     /* with all inserted code, it may be above 2 GB */
	bool dynamic;  /* the program has a dynamic linker: a libc outside the object makes threads
			*/
	bool ends;     /* the runtime is told when the process leaves main */
	bool collects; /* the last link drops sections that nothing refers to */
	bool rows;     /* the last link knows thread-local words in instructions that load them */
	const char *const *entered; /* names of entry symbols, up to NULL; or NULL */
	const char *const
		*expressions; /* values that the last link gives to symbols, up to NULL; or NULL */
	const struct origins *origins; /* of the object: reloc/object.h; borrowed; or NULL */
	const struct outside *outside; /* needed libraries: reloc/outside.h; borrowed; or NULL */
	bool stress;		       /* --ldx-stress=SEED: random no-ops before instructions */
	bool poison; /* --ldx-stress=poison[:SEED]: code that overwrites dead registers and flags */
	bool order;  /* --ldx-stress=order[:SEED]: the functions of a section in another order */
	/* --ldx-stress=exits: a counter at each exit of a function */
	bool exits;
	bool after;  /* --ldx-stress=after: a counter behind each call */
	bool tables; /* --ldx-stress=tables: a counter on each edge of a jump table, if possible */
	bool edges;  /* --ldx-stress=edges[:SEED]: random no-ops on edges */
	uint64_t stress_seed, poison_seed, order_seed, edges_seed;
	bool stats;	  /* --ldx-stats */
	bool time;	  /* --ldx-time */
	FILE *log;	  /* where these print; NULL: standard error */
	unsigned threads; /* number of worker threads; 0: one for each processor */
	bool map;	  /* write .ldx.map even if nothing is counted (--ldx-map) */
	const struct prior_counts *prior; /* --ldx-use-profile: cfg/cfg.h; borrowed; or NULL */
	const char *profile; /* --ldx-profile=PATTERN: the default name of the profile; or NULL */
	const char *dump;    /* --ldx-dump=DUMPS, on standard output: cfg/dump.h; or NULL */
	const char *explain; /* --ldx-explain=FUNC, on standard output; or NULL */
	struct func_patterns patterns; /* --ldx-only, --ldx-skip; borrowed */
	const struct tool_use *tool;   /* ntools of them; borrowed */
	size_t ntools;
	/* 1 + the number of the tool that asks, or 0; shared with a process that waits; or NULL */
	volatile uint32_t *asks;
	tool_call_vec *calls;	 /* with claims: what tools' routines are called with; borrowed */
	redirect_vec *redirects; /* likewise: which symbols they take the place of; borrowed */
	struct stated *stated; /* what was found out of the old code goes here; borrowed; or NULL */
	claim_vec *claims;     /* claims of inserted code are appended here; borrowed; or NULL */
};

/* The exit status of a process in which rewrite_object() ends because a tool is wrong. */
enum { TOOL_FAILED = 3 };

/* Does the output measure anything, so that it needs the runtime? */
static inline bool measures(const struct rewrite_options *opt)
{
	return opt->mode != 0 || opt->ntools;
}

struct rewritten {
	bool single_thread; /* the program neither forks, makes a thread nor handles signals */
	bool alone;	    /* nothing else counts in a process: it may fork */
	bool turned;	    /* counters are ACCESS_TURNED */
	bool words;	    /* they are found by words: see struct counter_addressing's row */
	bool rows;	    /* and each thread has its own */
	bool controls;	    /* the program refers to one of LDX_CONTROLS */
	bool events;	    /* tools are told of what happens to the process */
};

/* Is name one of LDX_CONTROLS, the functions of ldx.h?  The runtime defines them if referred to. */
bool is_control(const char *name);

/*
 * Read the combined object at in, write the instrumented one to out.  Call it in a process of its
 * own: errors are fatal(), with a message on diag_stream and status 1, and may leave an incomplete
 * out.  If mode counts anything, the output defines the hidden symbols __ldx_info and
 * __ldx_counters (runtime/abi.h) and has a section .ldx.map, which option map adds in any case.
 * All memory is a's.
 */
struct rewritten rewrite_object(struct arena *a, const char *in, const char *out,
	const struct rewrite_options *opt);

#endif
