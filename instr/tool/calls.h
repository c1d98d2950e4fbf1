/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h - what is known of the calls of the object, for those who follow them: ldx/tool.h */
#ifndef LDX_INSTR_TOOL_CALLS_H
#define LDX_INSTR_TOOL_CALLS_H

#include "instr/tool/session.h"

/* Made when it is first asked for. */
struct calls {
	uint8_t *kind; /* by block: of what ends it */
	/*
	 * By function: when it returns, only its jumps to others are open, as all that it calls is
	 * followed, or closed.
	 */
	bool *safe;
};
const struct calls *calls_known(void);

static inline enum ldx_call_kind kind_at(const ldx_block *b)
{
	return (enum ldx_call_kind)calls_known()->kind[block_number(b)];
}

static inline bool is_safe(const ldx_func *f)
{
	return calls_known()->safe[func_number(f)];
}

/* Does control leave the function at the end of the block, as a call does not return? */
bool is_exit(const ldx_block *b);

/* Does control enter it only by calls and jumps that name it, in functions that ldx understood? */
bool called_by_name(const struct func *f);
/*
 * Between the start and the end of a call, does its thread execute in this object only what the
 * call leads to?  Not if handlers of signals may come between, or if stacks may be switched; nor is
 * it sure if the object has code that forks, as a child goes on in calls of its parent.
 */
bool calls_nest(void);
/* How often the block is executed for each call of its function: estimated. */
double block_frequency(const ldx_block *b);
/*
 * Does the clock lack nothing at the block because exceptions or jumps of other functions lead
 * there?  NULL: at any block of the function.
 */
bool clock_lands(const ldx_func *f, const ldx_block *b);

#endif
