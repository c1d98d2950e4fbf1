/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - what is inserted where
 *
 * Planning chooses places and builds the code for them (insertion.h) of the sequences of code/;
 * layout.h makes room.
 */
#ifndef LDX_INSTR_PLAN_H
#define LDX_INSTR_PLAN_H

#include "instr/count/flow.h"
#include "code/sequence.h"
#include "instr/count/site.h"
#include "instr/insertion.h"
#include "instr/rewrite.h"
#include "reloc/frag.h"

/* An edge of a function that is not opaque, for the static map; in mode cover also a proof. */
struct plan_edge {
	uint32_t from, to;   /* blocks; NO_BLOCK: outside */
	uint8_t kind, state; /* enum edge_kind, enum count_state */
	bool by_next, known; /* as in struct edge */
	uint32_t counter;    /* COUNT_COUNTED: its number */
};

struct plan {
	const struct cfg *g;
	const struct rewrite_options *opt;
	struct insertions *inserted; /* by part of the cfg, until it is emitted; NULL: none */
	bool inserts;		     /* there are insertions */
	site_vec *sites;	     /* by part: the counters', until plan_forget() */
	site_vec site;		     /* those of the part that is planned */
	struct inserter *in;	     /* for that part */
	uint64_t kinds[COUNT_KINDS], based;   /* counters of each kind; that count by a base */
	struct counter_addressing addressing; /* how they are incremented; repeat: by site */
	uint32_t ncounters;  /* of cell bytes each; ACCESS_THREAD: 8 bytes first are no counter */
	uint32_t cell;	     /* 8; in mode cover 1: counters are marks */
	uint64_t tool_cells; /* cells behind them, with data of tools */
	uint32_t *block_counter; /* by block: number + 1; 0: not counted */
	uint8_t *block_flags;	 /* by block: of the static map, LDX_BLOCK_HELD and _NEXT */
	uint32_t *func_counter;	 /* by function: the same for its entries */
	const bool *selected;	 /* by function: counted and poisoned; NULL: all are */
	float *block_freq;	 /* by block: estimated, if its function's flow is known */
	uint32_t *func_first;	 /* by function: its first counter, or the next one's */
	bool every;		 /* every block has its own counter */
	struct reason why_every, why_unknown; /* see cfg_breaks_off() */
	bool flows;			      /* counts are derived from others: count/count.h */
	const struct called *called;	      /* count/called.h; NULL: all entries are counted */
	bool vectors;			      /* inserted code may use vector registers */
	VEC(struct plan_edge) edge;	      /* by function */
	uint32_t *func_edge;		      /* by function: its first edge; CSR */
	uint32_t sym_forked;		      /* symbol of the object */
	uint64_t *checked;		      /* by block: a new thread may start there; or NULL */
	bool filters;	     /* the program may restrict its system calls (seccomp) */
	uint32_t sym_poison; /* symbol of the object, or 0 */
	regset *held;	     /* with poison or tools, by block: registers that hold counters */
	struct tools *tools; /* tool/tool.h; NULL: there are none */
	bool alone;	     /* a process of the output has one thread and handles no signals */
	bool single_thread;  /* nor does it fork */
	bool words;	     /* counters are found by addressing.row */
	bool rows;	     /* and each thread has its own there */
	/*
	 * By function, of a single thread, or with rows: handlers of signals may count there, too,
	 * so increments are atomic; others are plain.  NULL: all are as addressing says.
	 */
	uint8_t *reentered;
};

struct plan *plan_make(struct cfg *g, const struct rewrite_options *opt);

/* Frees the counters' sites, of which only the insertions are needed any more. */
void plan_forget(struct plan *p);

/* How many cells of 64 bits the counters take; how many with the data of tools behind them. */
static inline uint64_t plan_counter_cells(const struct plan *p)
{
	return ((uint64_t)p->ncounters * p->cell + 7) / 8;
}
static inline uint64_t plan_cells(const struct plan *p)
{
	return plan_counter_cells(p) + p->tool_cells;
}

/* xorshift64 (Marsaglia 2003): the same seed gives the same links everywhere. */
static inline uint64_t random_start(uint64_t seed)
{
	return seed * 0x9e3779b97f4a7c15 + 1;
}
static inline uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

#endif
