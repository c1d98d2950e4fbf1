/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls-routines.c - adds up what is executed until calls end
 *
 * Calls that surely return, and not within themselves, need the time of their start only.  Of
 * others there is no need to keep when they began: that is subtracted from the sum at once, and
 * added when they end.
 */
#define LDX_CALL_OF(number) block_of(number)
static inline __attribute__((always_inline)) long block_of(long number);
#include <ldx/open.h>

LDX_THREAD uint64_t clock[1];

/* The interface of calls to ldxprof, with variables of ldx/open.h: see ldxprof(5). */
enum { ARCS = 1 << 14 };
LDX_THREAD uint64_t ldx_inclusive[2];	 /* by block; calls.c sets the size */
LDX_THREAD uint64_t ldx_pending[2];	 /* likewise: calls that began, and have not ended */
LDX_THREAD_BY(or) uint64_t ldx_known[2]; /* calls.c sets the size */
LDX_THREAD_TABLE(2, 2) struct {
	uint64_t block, to, calls, inclusive;
} ldx_arcs[ARCS];

LDX_THREAD uint64_t begun[2];		    /* by block: the clock */
LDX_THREAD uint64_t starts[LDX_OPEN_CALLS]; /* of calls by address */

static inline __attribute__((always_inline)) void add(uint64_t passed, long word)
{
	__asm__("" : "+r"(passed)); /* so that it is added by one instruction */
	ldx_data(ldx_inclusive, [word]) += passed;
}

LDX_ROUTINE void begin(unsigned long block)
{
	ldx_data(begun, [block]) = ldx_data(clock, [0]);
}

LDX_ROUTINE void end(unsigned long block)
{
	add(ldx_data(clock, [0]) - ldx_data(begun, [block]), (long)block);
}

enum { WAYS = 16 }; /* as in calls.c */
#include "calls-found.h"

LDX_BEGINS(call)
{
	uint64_t now = ldx_data(clock, [0]);
	__asm__("" : "+r"(now));
	ldx_data(ldx_inclusive, [call]) -= now;
	ldx_data(ldx_pending, [call])++;
}

LDX_ENDS(call)
{
	if ((long)call < 0) {
		end_found(ldx_last_open());
	} else {
		add(ldx_data(clock, [0]), (long)call);
		ldx_data(ldx_pending, [call])--;
	}
}

/* The entry of the table begins with it, and 1. */
static inline __attribute__((always_inline)) long block_of(long number)
{
	long entry = (long)ldx_loaded((uint64_t)number - 3);
	return number < 0 ? (long)ldx_data(ldx_inclusive, [entry]) - 1 : number;
}

LDX_ROUTINE void began(const uint64_t *known, unsigned long n, unsigned long sites)
{
	for (unsigned long k = 0; k < n; k++) {
		__asm__("" : "+r"(k)); /* compilers know of two words */
		ldx_data(ldx_known, [k]) = known[k];
	}
	begin_finding(sites);
}
