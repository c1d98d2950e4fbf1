/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frag.h - a rewritten section as a list of fragments
 *
 * A fragment is a run of bytes that stays as it was, a field or no-ops of another length, or
 * something inserted in front of an old offset.  Each says who runs it.  A label lands on the first
 * fragment at its old offset whose runners include those that the label's use stands for.
 */
#ifndef LDX_RELOC_FRAG_H
#define LDX_RELOC_FRAG_H

#include <stdint.h>

/* Who runs inserted code.  Fragments at one old offset are in the order of these sets' values. */
enum runners {
	RUN_FALL = 1,	     /* control that falls in from above */
	RUN_PAST = 2,	     /* no code of the scope above: alignment */
	RUN_ENTER = 4,	     /* control that enters the function */
	RUN_TABLE = 8,	     /* control that comes by an entry of a jump table */
	RUN_REDIRECTED = 16, /* single branches that are led to it; others jump over it */
	RUN_BRANCH = 32,     /* control that branches there within the function */

	RUNS_FALL = RUN_FALL,
	RUNS_ENTRY = RUN_FALL | RUN_ENTER,
	RUNS_TABLE = RUN_TABLE, /* others jump over it */
	RUNS_EDGE = RUN_REDIRECTED,
	RUNS_ALL = RUN_FALL | RUN_ENTER | RUN_TABLE | RUN_REDIRECTED | RUN_BRANCH,
	RUNS_OLD = UINT8_MAX, /* what stood there: whoever means the place */
};

enum frag_kind {
	FRAG_KEPT,    /* the old bytes up to the next fragment's */
	FRAG_RESIZED, /* the same of another length: a wider branch, a longer field */
	FRAG_PADDING, /* no-ops that were there, of another length for the alignment behind them */
	FRAG_ALIGN,   /* new no-ops, for the alignment of what is behind them */
	FRAG_INSERTED,
	FRAG_CUT, /* no bytes: from here on the section is laid out elsewhere */
};

struct frag {
	uint64_t old, new;
	uint32_t len;	    /* new length; maps do not need that of FRAG_KEPT */
	uint8_t kind, runs; /* enum frag_kind, enum runners */
	uint8_t align;	    /* FRAG_PADDING, FRAG_ALIGN: logarithm; 0: none */
	uint8_t keep;	    /* FRAG_ALIGN: not the address is aligned, but how far old bytes move */
};

#endif
