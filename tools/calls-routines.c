/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls-routines.c - adds up what is executed until calls end
 *
 * Calls that surely return, and not within themselves, need the time of their start only.  Others
 * are on a stack of open calls, because of recursion, and because a longjmp may end many at once.
 */
#include <ldx/analysis.h>

LDX_THREAD uint64_t clock[1];

/* The interface of calls to ldxprof: see ldxprof(5). */
enum { ARCS = 1 << 14 };
LDX_THREAD uint64_t ldx_inclusive[2]; /* by block; calls.c sets the size */
LDX_THREAD_BY(maximum) uint64_t ldx_inexact[1];
LDX_THREAD_TABLE(2, 2) struct {
	uint64_t block, to, calls, inclusive;
} ldx_arcs[ARCS];

LDX_THREAD uint64_t begun[2]; /* by block: the clock */

LDX_ROUTINE void begin(unsigned long block)
{
	ldx_data(begun, [block]) = ldx_data(clock, [0]);
}

LDX_ROUTINE void end(unsigned long block)
{
	ldx_data(ldx_inclusive, [block]) += ldx_data(clock, [0]) - ldx_data(begun, [block]);
}

/*
 * The open calls, from 1 on: which word of ldx_inclusive, or behind it, of ldx_arcs, a call adds
 * to, and its kind; that word - the clock when it began, so that a call in a call of the same place
 * changes a sum that the outer one replaces; of some, the stack pointer.
 */
enum { DEPTH = 1 << 16 };
enum { JUMP = 1, KEPT = 2, BY_ADDRESS = 4, KINDS = 8 }; /* as in calls.c */
LDX_THREAD uint64_t depth[1];
LDX_THREAD uint64_t sums[DEPTH + 1];
LDX_THREAD uint64_t starts[DEPTH + 1];
LDX_THREAD uint64_t stacks[DEPTH + 1];

static inline __attribute__((always_inline)) void push(uint64_t sum, unsigned long word)
{
	uint16_t top = (uint16_t)ldx_data(depth, [0]);
	ldx_data(depth, [0])++;
	ldx_data(sums, [top + 1]) = sum;
	ldx_data(starts, [top + 1]) = ldx_data(ldx_inclusive, [word]) - ldx_data(clock, [0]);
}

LDX_ROUTINE void call(unsigned long block, unsigned long sum)
{
	push(sum, block);
}

LDX_ROUTINE void call_kept(unsigned long block, unsigned long sum, unsigned long stack)
{
	uint64_t top = ldx_data(depth, [0]);
	if (top >= DEPTH)
		ldx_data(ldx_inexact, [0]) = 1;
	ldx_data(stacks, [(uint16_t)top + 1]) = stack;
	push(sum, block);
}

/* When all calls within it have ended.  A child does not know those of its parent. */
LDX_ROUTINE void leave(unsigned long block)
{
	uint16_t top = (uint16_t)ldx_data(depth, [0]);
	if (!top)
		return;
	ldx_data(depth, [0])--;
	ldx_data(ldx_inclusive, [block]) = ldx_data(starts, [top]) + ldx_data(clock, [0]);
}

/* Any kind of call, and the jumps to other functions that end with it. */
LDX_ROUTINE void leave_all(void)
{
	uint64_t sum;
	do {
		uint16_t top = (uint16_t)ldx_data(depth, [0]);
		if (!top)
			return;
		ldx_data(depth, [0])--;
		sum = ldx_data(sums, [top]);
		ldx_data(ldx_inclusive, [(long)sum >> 3]) = ldx_data(starts, [top]) +
			ldx_data(clock, [0]);
	} while (sum & JUMP);
}

/* Only these. */
LDX_ROUTINE void leave_jumps(void)
{
	uint16_t top;
	while (ldx_data(sums, [top = (uint16_t)ldx_data(depth, [0])]) & JUMP) {
		ldx_data(depth, [0])--;
		ldx_data(ldx_inclusive, [(long)ldx_data(sums, [top]) >> 3]) =
			ldx_data(starts, [top]) + ldx_data(clock, [0]);
	}
}

/* By address: of each site the last callee, and the word that its call adds to. */
LDX_THREAD uint64_t last[2];

LDX_ROUTINE unsigned long is_new(unsigned long site, unsigned long to)
{
#ifdef LDX_SHARED /* another thread may change it */
	(void)site, (void)to;
	return 1;
#else
	return (unsigned long)ldx_data(last, [2 * site]) ^ to;
#endif
}

LDX_ROUTINE void find(unsigned long site, unsigned long to, unsigned long from, unsigned long block)
{
	long distance = (long)(to - from);
	unsigned long key = distance == (int32_t)distance ? 2 * (unsigned long)distance + 1 : 2;
	size_t arc = ldx_find(ldx_arcs, ARCS, block + 1, key);
	uintptr_t word = (uintptr_t)&ldx_data(ldx_arcs, [arc].inclusive) -
		(uintptr_t)&ldx_data(ldx_inclusive, [0]);
	ldx_data(last, [2 * site]) = to;
	ldx_data(last, [2 * site + 1]) = (uint64_t)((long)word >> 3);
#ifdef LDX_SHARED
	ldx_add(ldx_arcs, [arc].calls, 1);
#endif
}

static unsigned long count_last(unsigned long site)
{
	unsigned long word = (unsigned long)ldx_data(last, [2 * site + 1]);
#ifndef LDX_SHARED
	ldx_data(ldx_inclusive, [word - 1])++;
#endif
	return word;
}

LDX_ROUTINE void count_found(unsigned long site)
{
	count_last(site);
}

LDX_ROUTINE void call_found(unsigned long site, unsigned long stack, unsigned long kinds)
{
	unsigned long word = count_last(site);
	ldx_data(stacks, [(uint16_t)ldx_data(depth, [0]) + 1]) = stack;
	push((uint64_t)word * KINDS + kinds, word);
}

/* Not 0: the last open call is not one that is kept with this stack pointer, or too many are. */
LDX_ROUTINE unsigned long is_other(unsigned long stack)
{
	uint64_t top = ldx_data(depth, [0]);
	return (unsigned long)((ldx_data(stacks, [(uint16_t) top]) ^ stack) |
		(~ldx_data(sums, [(uint16_t) top]) & KEPT) | top / DEPTH);
}

/* Not 0: the last open call is not one that is kept with a higher stack pointer. */
LDX_ROUTINE unsigned long is_astray(unsigned long stack)
{
	uint16_t top = (uint16_t)ldx_data(depth, [0]);
	return (~(stack - (unsigned long)ldx_data(stacks, [top])) >> (8 * sizeof stack - 1)) |
		(unsigned long)(~ldx_data(sums, [top]) & KEPT);
}

/* What calls.c knows of a block: numbers of 32 bits, the least significant byte first. */
enum { LACK, GROUP };
enum { NO_BLOCK = UINT32_MAX };

static uint32_t fact(const uint8_t *facts, uint32_t block, unsigned which)
{
	const uint8_t *p = facts + 8 * (size_t)block + 4 * which;
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t block_of(uint64_t open)
{
	long word = (long)ldx_data(sums, [(uint16_t) open]) >> 3;
	uint64_t is_arc = ldx_data(sums, [(uint16_t) open]) & BY_ADDRESS;
	return (uint32_t)(is_arc ? ldx_data(ldx_inclusive, [word - 3]) - 1 : (uint64_t)word);
}

/* unwound: by no return, so that it has not added what the clock lacks there: see ldx_clock(). */
static void end_last(const uint8_t *facts, int unwound)
{
	uint64_t top = ldx_data(depth, [0])--, sum = ldx_data(sums, [(uint16_t) top]);
	uint32_t block = block_of(top);
	ldx_data(ldx_inclusive, [(long)sum >> 3]) = ldx_data(starts, [(uint16_t) top]) +
		ldx_data(clock, [0]);
	if (unwound && !(sum & JUMP) && block != NO_BLOCK)
		ldx_data(clock, [0]) += (uint64_t)(int32_t)fact(facts, block, LACK);
}

/* The lowest of the calls that are kept with a lower stack pointer, or with this in a group. */
static uint64_t lowest(const uint8_t *facts, uint64_t stack, uint32_t group)
{
	uint64_t found = ldx_data(depth, [0]) + 1;
	for (uint64_t k = found - 1; k; k--) {
		uint64_t at = ldx_data(stacks, [(uint16_t) k]);
		uint32_t block = block_of(k);
		if (!(ldx_data(sums, [(uint16_t) k]) & KEPT))
			continue;
		if (at > stack ||
			(at == stack && block != NO_BLOCK && fact(facts, block, GROUP) != group))
			break;
		found = k;
	}
	return found;
}

/* Control lands in a frame that has called, or jumped to another part of its function. */
LDX_ROUTINE void landed(unsigned long stack, unsigned long group, const uint8_t *facts)
{
	uint64_t end = lowest(facts, stack, (uint32_t)group);
	while (ldx_data(depth, [0]) >= end)
		end_last(facts, 1);
	while (ldx_data(sums, [(uint16_t)ldx_data(depth, [0])]) & JUMP &&
		fact(facts, block_of(ldx_data(depth, [0])), GROUP) == group)
		end_last(facts, 1);
}

/*
 * A call returns: others have ended before it.  If it returns a second time, as setjmp does, the
 * one that its frame made since has ended instead.
 */
LDX_ROUTINE void returned(unsigned long stack, unsigned long sum, const uint8_t *facts)
{
	uint32_t block = (uint32_t)(sum / KINDS), of;
	uint64_t end = lowest(facts, stack, fact(facts, block, GROUP)), top = ldx_data(depth, [0]);
	int mine = end <= top && ldx_data(stacks, [(uint16_t) end]) == stack, again;
	of = mine ? block_of(end) : NO_BLOCK;
	again = mine && of != block;
	if (top > DEPTH)
		ldx_data(ldx_inexact, [0]) = 1;
	while (ldx_data(depth, [0]) > end || (ldx_data(depth, [0]) == end && (!mine || again)))
		end_last(facts, 1);
	if (again)
		ldx_data(clock, [0]) -= (uint64_t)(int32_t)fact(facts, block, LACK);
	if (!mine || again)
		call_kept(block, sum, stack);
}

LDX_ROUTINE void ended(const uint8_t *facts)
{
	while (ldx_data(depth, [0]))
		end_last(facts, 1);
}

/* The copy of the data may be one of a thread or process that was killed. */
LDX_ROUTINE void began(void)
{
	ldx_data(depth, [0]) = 0;
}

/* The clock that threads share is none. */
LDX_ROUTINE void began_thread(void)
{
#ifdef LDX_SHARED
	ldx_data(ldx_inexact, [0]) = 1;
#endif
	began();
}
