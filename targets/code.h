/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.h - code to be inserted, and how it reaches the counters
 */
#ifndef LDX_TARGETS_CODE_H
#define LDX_TARGETS_CODE_H

#include "reloc/object.h"
#include "targets/insn.h"

/*
 * Code to be inserted.  Its relocations are against symbols of the object.  From
 * byte stack[i].at on the stack pointer is down bytes lower than in front of it; the
 * last of these is 0.
 */
enum { POISON_REGS = 4 };	/* a snippet has room to overwrite so many, and flags */
struct snippet {
	uint8_t bytes[64];
	uint32_t n;
	struct reloc rel[4];	/* off: within bytes */
	uint32_t nrel;
	struct stack_move stack[4];
	uint32_t nstack;
};

/*
 * How a counter is incremented at a place: the kinds --ldx-stats counts.  Always by
 * one instruction, so that no signal handler comes between; the others save the
 * flags around it, in a free register or beside a saved one.  Held: a register counts;
 * stepped: one of the program's does, which it adds a constant to at this place only.
 */
enum count_kind {
	COUNT_DIRECT, COUNT_FLAGS, COUNT_SAVE, COUNT_HELD, COUNT_STEPPED, COUNT_KINDS
};

/* A counter in register reg, and what is done to that; by: another register, or a number. */
enum hold {
	HOLD_BEGIN = 1,	/* set to 0 */
	HOLD_COUNT,	/* incremented */
	HOLD_END,	/* added to the counter in memory */
	HOLD_FOLLOW,	/* set to by, which counts in its stead */
	HOLD_STEP,	/* nothing: the next instruction counts */
	HOLD_FETCH,	/* moved to reg from by */
	HOLD_DISTANCE,	/* how far by has gone since, with the other sign */
	HOLD_DIVIDE,	/* divided by 2 to the power of by, of which it is a multiple */
	HOLD_END_LESS,	/* taken from the counter in memory */
};

/* Whose counter is incremented. */
enum counter_access {
	ACCESS_PLAIN,	/* everybody's; increments of several threads at once may get lost */
	ACCESS_ATOMIC,	/* everybody's, by an atomic instruction */
	ACCESS_THREAD,	/* this thread's: see runtime/threads.c */
};

/* When the same counter is incremented again. */
enum repeat {
	REPEAT_SOON,	/* maybe at once */
	REPEAT_LATER,	/* when the store before is done: an address that delays loads serves */
	REPEAT_RARELY,	/* and few are incremented there: slow code serves when it is short */
};

/* How inserted code reaches the counters: near, fixed or both. */
struct reach {
	uint32_t sym, sym_fixed;	/* the symbols of the first */
	enum counter_access access;
	bool near;		/* at a distance from the code that the link decides */
	bool fixed;		/* at an address below 2 GB that the link decides: in the instruction */
	bool moved;		/* what is fixed may be elsewhere: the thread's base says how far */
	enum repeat repeat;
};

#endif
