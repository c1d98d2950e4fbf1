/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - what is inserted where
 *
 * A site is a place and what goes there.  Planning decides; targets encode;
 * layout.h makes room.  Code for one offset keeps the order in which it was planned.
 */
#ifndef LDX_INSTR_PLAN_H
#define LDX_INSTR_PLAN_H

#include "cfg/flow.h"
#include "code/sequence.h"
#include "instr/rewrite.h"
#include "reloc/frag.h"

/* At one place, those that stand last here come first. */
enum site_kind {
	SITE_BEGIN, /* arg: the number of the counter that reg holds from here */
	SITE_END,   /* the same: that is incremented by what reg holds */
	SITE_COUNT, /* arg: the counter's number */
	SITE_ENTRY, /* the same in front of an opaque function: a landing first if it has one */
	/* and those without a counter */
	SITE_NOPS,   /* arg: how many bytes */
	SITE_SKIP,   /* arg: how many bytes of inserted code are jumped over */
	SITE_POISON, /* arg: a random number; all that is dead is overwritten */
	SITE_FORK,   /* is this a new process or thread? then tell the runtime */
	SITE_THREAD, /* does this thread count in its own cells? else tell the runtime */
};

/*
 * An instruction adds 2 to the power of shift to register by - 1, or takes it from it.  by 0: none.
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
	uint8_t reg;	    /* COUNT_HELD, SITE_BEGIN, SITE_END: that holds the counter */
	struct step step;   /* SITE_BEGIN, SITE_END: what counts in its stead */
	uint32_t arg;
	uint32_t branch; /* RUNS_EDGE, RUNS_TABLE: the insn whose jump leads through it */
	regset dead;	 /* may be changed there */
};

/* Code of one branch's edge, in front of its target: how far behind the label edge. */
struct stub {
	uint32_t branch; /* insn */
	uint32_t skip;	 /* bytes */
};

/* An edge of a whole function, as the static map tells it; in mode cover a proof. */
struct plan_edge {
	uint32_t from, to;   /* blocks; NO_BLOCK: outside */
	uint8_t kind, state; /* enum edge_kind, enum count_state */
	bool by_next;	     /* as in struct edge */
	uint32_t counter;    /* COUNT_COUNTED: its number */
};

struct plan {
	const struct cfg *g;
	const struct rewrite_options *opt;
	VEC(struct site) site;		      /* sorted by text, off, runs */
	struct counter_addressing addressing; /* how they are incremented; repeat: by site */
	uint32_t ncounters;	    /* of cell bytes each; by thread, the first 8 are no counter */
	uint32_t cell;		    /* 8; in mode cover 1: counters are marks */
	uint32_t *block_counter;    /* by block: number + 1; 0: not counted */
	uint8_t *block_flags;	    /* by block: of the static map, LDX_BLOCK_HELD and _NEXT */
	uint32_t *func_counter;	    /* by function: the same for its entries */
	const bool *selected;	    /* by function: counted and poisoned; NULL: all are */
	bool every;		    /* every block has its own counter */
	bool flows;		    /* counts follow from others: count/count.h */
	bool vectors;		    /* where the output runs, vector registers can be used */
	VEC(struct plan_edge) edge; /* by function */
	uint32_t *func_edge;	    /* by function: its first edge; CSR */
	VEC(struct stub) stub;	    /* by branch */
	uint32_t sym_forked;	    /* symbol of the object */
	uint64_t *checked;	    /* by block: a new thread may come in there; or NULL */
	bool filters;		    /* the program may forbid itself system calls */
	uint32_t sym_poison;	    /* the same, or 0 */
	regset *held;		    /* with poison, by block: what holds counters over it */
	bool single_thread;	    /* in the output there are neither forks nor threads */
};

struct plan *plan_make(struct cfg *g, const struct rewrite_options *opt);

/* site.c: append the code of a site that is no SITE_NOPS; the size of any. */
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
