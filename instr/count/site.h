/* SPDX-License-Identifier: Apache-2.0 */
/* site.h - where and how a counter is incremented, or begins or ends to be held */
#ifndef LDX_INSTR_COUNT_SITE_H
#define LDX_INSTR_COUNT_SITE_H

#include "code/sequence.h"
#include "reloc/frag.h"

/* Sites at the same offset that the same run are emitted in reverse order of this enum. */
enum site_kind {
	SITE_BASE,  /* arg: a counter; sets register base - 1 for the counters in its page */
	SITE_BEGIN, /* arg: the number of the counter that reg holds from here */
	SITE_END,   /* arg: the number of the counter that reg is added to */
	SITE_COUNT, /* arg: the counter's number */
	SITE_ENTRY, /* the same, behind a new landing instruction: entry of an opaque function */
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
	uint8_t reg;	/* COUNT_HELD, SITE_BEGIN, SITE_END: the register that holds the counter */
	bool plain;	/* with a counter: its increment need not be atomic */
	uint8_t base;	/* COUNT_DIRECT: 1 + the register with the counter's base, or 0; */
	bool makes;	/* it is set here: count/base.h */
	uint16_t often; /* RUNS_EDGE, RUNS_TABLE: as in struct insertion */
	struct step step; /* SITE_BEGIN, SITE_END: the step that replaces the increment */
	uint32_t arg;
	uint32_t branch; /* RUNS_EDGE, RUNS_TABLE: the insn whose jump leads through it */
	regset dead;	 /* registers and flags that the code may change */
};

typedef VEC(struct site) site_vec;

/* By text, offset, runners and, in the order in which they run, kind and counter. */
void sites_sort(site_vec *v);

#endif
