/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - what is inserted where
 *
 * A site is an offset and the code to be inserted there.  Planning chooses sites, code/ encodes
 * them, layout.h makes room.
 */
#ifndef LDX_INSTR_PLAN_H
#define LDX_INSTR_PLAN_H

#include "cfg/flow.h"
#include "code/sequence.h"
#include "instr/insertion.h"
#include "instr/rewrite.h"
#include "reloc/frag.h"

/* Sites at the same offset that the same run are emitted in reverse order of this enum. */
enum site_kind {
	SITE_BASE,  /* arg: a counter; sets register base - 1 for the counters in its page */
	SITE_BEGIN, /* arg: the number of the counter that reg holds from here */
	SITE_END,   /* arg: the number of the counter that reg is added to */
	SITE_COUNT, /* arg: the counter's number */
	SITE_ENTRY, /* the same, behind a new landing instruction: entry of an opaque function */
	/* without a counter: */
	SITE_NOPS,   /* arg: number of bytes */
	SITE_POISON, /* arg: a random number; overwrites all dead registers and flags */
	SITE_FORK,   /* calls the runtime if this may be a new process or thread */
	SITE_THREAD, /* calls the runtime if this thread has no cells of its own */
};

/*
 * An instruction adds 2^shift to register by - 1, or (down) subtracts it.  by 0: there is none.
 */
struct step {
	uint8_t by, shift;
	bool down;
};

struct site {
	uint32_t text; /* index of the code section in the cfg */
	uint32_t off;
	uint8_t runs, kind; /* enum runners, enum site_kind */
	uint8_t how;	    /* SITE_COUNT: enum count_kind */
	uint8_t repeat;	    /* as in struct counter_addressing */
	uint8_t reg;  /* COUNT_HELD, SITE_BEGIN, SITE_END: the register that holds the counter */
	bool plain;   /* with a counter: its increment need not be atomic */
	uint8_t base; /* COUNT_DIRECT: 1 + the register with the counter's base, or 0; */
	bool makes;   /* it is set here: count/base.h */
	struct step step; /* SITE_BEGIN, SITE_END: the step that replaces the increment */
	uint32_t arg;
	uint32_t branch; /* RUNS_EDGE, RUNS_TABLE: the insn whose jump leads through it */
	regset dead;	 /* registers and flags that the code may change */
};

/* An edge of a function that is not opaque, for the static map; in mode cover also a proof. */
struct plan_edge {
	uint32_t from, to;   /* blocks; NO_BLOCK: outside */
	uint8_t kind, state; /* enum edge_kind, enum count_state */
	bool by_next;	     /* as in struct edge */
	uint32_t counter;    /* COUNT_COUNTED: its number */
};

struct plan {
	const struct cfg *g;
	const struct rewrite_options *opt;
	VEC(struct site) site;	     /* sorted by text, off, runs; until plan_forget() */
	struct insertions *inserted; /* by part of the cfg: the code of the sites, until it is
					emitted; NULL: none */
	bool inserts;		     /* there are sites */
	uint64_t kinds[COUNT_KINDS], based;   /* counters of each kind; that count by a base */
	struct counter_addressing addressing; /* how they are incremented; repeat: by site */
	uint32_t ncounters; /* of cell bytes each; ACCESS_THREAD: 8 bytes first are no counter */
	uint32_t cell;	    /* 8; in mode cover 1: counters are marks */
	uint32_t *block_counter;    /* by block: number + 1; 0: not counted */
	uint8_t *block_flags;	    /* by block: of the static map, LDX_BLOCK_HELD and _NEXT */
	uint32_t *func_counter;	    /* by function: the same for its entries */
	const bool *selected;	    /* by function: counted and poisoned; NULL: all are */
	bool every;		    /* every block has its own counter */
	bool flows;		    /* counts are derived from others: count/count.h */
	bool vectors;		    /* inserted code may use vector registers */
	VEC(struct plan_edge) edge; /* by function */
	uint32_t *func_edge;	    /* by function: its first edge; CSR */
	uint32_t sym_forked;	    /* symbol of the object */
	uint64_t *checked;	    /* by block: a new thread may start there; or NULL */
	bool filters;		    /* the program may restrict its system calls (seccomp) */
	uint32_t sym_poison;	    /* symbol of the object, or 0 */
	regset *held;		    /* with poison, by block: registers that hold counters */
	bool single_thread; /* the output neither forks, makes threads nor handles signals */
	/*
	 * By function, of a single thread: handlers of signals may count there, too, so increments
	 * are atomic; others are plain.  NULL: all are as addressing says.
	 */
	uint8_t *reentered;
};

struct plan *plan_make(struct cfg *g, const struct rewrite_options *opt);

/* Frees the sites, of which only their code is needed any more. */
void plan_forget(struct plan *p);

/* site.c: append the code of a site; its size. */
void site_code(const struct plan *p, const struct site *s, struct code *out);
uint32_t site_size(const struct plan *p, const struct site *s);

/* How many cells of 64 bits the counters take. */
static inline uint64_t plan_cells(const struct plan *p)
{
	return ((uint64_t)p->ncounters * p->cell + 7) / 8;
}

/* Count at a spot; the counter's number + 1. */
struct spot;
uint32_t plan_counter(struct plan *p, uint32_t text, struct spot s);

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
