/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frag.h - a rewritten section as a list of fragments
 *
 * A fragment is a run of unchanged bytes, a field or no-ops of another length, or code inserted in
 * front of an old offset.  Each has a set of runners.  A label binds to the first fragment at its
 * old offset whose runners include those of the label's use.
 */
#ifndef LDX_RELOC_FRAG_H
#define LDX_RELOC_FRAG_H

#include <stdint.h>

/* Which control runs inserted code.  Fragments at one old offset are in the order of these sets. */
enum runners {
	RUN_LEAVE = 1,	     /* the branch in front of it, out of the function, if that is taken */
	RUN_FALL = 2,	     /* control that falls through from above */
	RUN_PAST = 4,	     /* none, and it is not part of the scope above: alignment */
	RUN_ENTER = 8,	     /* control that enters the function */
	RUN_TABLE = 16,	     /* jumps by an entry of a jump table */
	RUN_REDIRECTED = 32, /* single branches that are redirected to it; others jump over it */
	RUN_BRANCH = 64,     /* branches within the function */

	RUNS_LEAVE = RUN_LEAVE, /* others jump over it */
	RUNS_FALL = RUN_FALL,
	RUNS_REPLACED = RUN_ENTER, /* leads to what takes the function's place; nothing falls in */
	RUNS_ENTRY = RUN_FALL | RUN_ENTER,
	RUNS_TABLE = RUN_TABLE, /* others jump over it */
	RUNS_EDGE = RUN_REDIRECTED,
	RUNS_ALL = RUN_FALL | RUN_ENTER | RUN_TABLE | RUN_REDIRECTED | RUN_BRANCH,
	RUNS_OLD = UINT8_MAX, /* old bytes: every use */
};

enum frag_kind {
	FRAG_KEPT,    /* the old bytes up to the next fragment's */
	FRAG_RESIZED, /* the same with another length: a wider branch, a longer field */
	FRAG_PADDING, /* old no-ops, resized for the alignment of the next bytes */
	FRAG_ALIGN,   /* new no-ops, for the alignment of the next bytes */
	FRAG_INSERTED,
	FRAG_RELAY, /* a jump of the layout, which single branches lead through: RUNS_LEAVE */
	FRAG_CUT,   /* no bytes: the following code is placed elsewhere in the section */
};

struct frag {
	uint64_t old, new;
	uint32_t len;	    /* new length; maps do not need that of FRAG_KEPT */
	uint8_t kind, runs; /* enum frag_kind, enum runners */
	uint8_t align;	    /* FRAG_PADDING, FRAG_ALIGN: log2; 0: none */
	uint8_t keep;	    /* FRAG_ALIGN: align how far old bytes move, not their address;
			     * FRAG_RESIZED: a load that makes the address of its table */
};

#endif
