/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls-routines.c - adds up what is executed until calls end
 *
 * Calls that surely return, and not within themselves, need the time of their start only.  Others
 * are on a stack of open calls, because a longjmp may end many at once.  There is no need to keep
 * when they began: that is subtracted from the sum at once, and added when they end.
 */
#include <ldx/analysis.h>

LDX_THREAD uint64_t clock[1];

/* The interface of calls to ldxprof: see ldxprof(5). */
enum { ARCS = 1 << 14 };
LDX_THREAD uint64_t ldx_inclusive[2]; /* by block; calls.c sets the size */
LDX_THREAD uint64_t ldx_pending[2];   /* likewise: calls that began, and have not ended */
LDX_THREAD_BY(maximum) uint64_t ldx_inexact[1];
LDX_THREAD uint64_t ldx_open[3]; /* calls; those that were when their thread was stopped; threads */
LDX_THREAD_BY(or) uint64_t ldx_known[2]; /* calls.c sets the size */
LDX_THREAD_TABLE(2, 2) struct {
	uint64_t block, to, calls, inclusive;
} ldx_arcs[ARCS];

LDX_THREAD uint64_t begun[2]; /* by block: the clock */

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

/*
 * The open calls, from 1 on, and jumps to other functions, which end with the call around them: the
 * number of the word of ldx_inclusive that one adds to, and 1, or of the word in ldx_arcs, which
 * are in front of it, so that it is negative; by address: the clock when that began; the stack
 * pointer, of a jump less 1.  The first word tells that there were too many.
 */
enum { DEPTH = 1 << 16 };
LDX_THREAD uint64_t ldx_sums[DEPTH];
LDX_THREAD uint64_t starts[DEPTH];
LDX_THREAD uint64_t stacks[DEPTH];

static inline __attribute__((always_inline)) uint16_t last(void)
{
	return (uint16_t)ldx_data(ldx_open, [0]);
}

/* Computed with, in place of an argument, which may stay where it is. */
static inline __attribute__((always_inline)) unsigned long loaded(uint64_t word)
{
	unsigned long n = (unsigned long)word;
	__asm__("" : "+r"(n));
	return n;
}

/* Code in front of it is done with its registers, so one is enough. */
static inline __attribute__((always_inline)) void divide(void)
{
	__asm__("" : : : "memory");
}

static inline __attribute__((always_inline)) uint16_t push(uint64_t sum, unsigned long stack)
{
	ldx_data(ldx_open, [0])++;
	uint16_t top = last();
	ldx_data(ldx_sums, [top]) = sum;
	ldx_data(stacks, [top]) = stack;
	return top;
}

static inline __attribute__((always_inline)) void begin_sum(unsigned long block,
	unsigned long stack)
{
	push(block + 1, stack);
	divide();
	uint64_t now = ldx_data(clock, [0]);
	__asm__("" : "+r"(now));
	ldx_data(ldx_inclusive, [block]) -= now;
	ldx_data(ldx_pending, [block])++;
}

static inline __attribute__((always_inline)) void end_sum(unsigned long block)
{
	add(ldx_data(clock, [0]), (long)block);
	ldx_data(ldx_pending, [block])--;
	ldx_data(ldx_open, [0])--;
}

LDX_ROUTINE void call(unsigned long block, unsigned long stack)
{
	begin_sum(block, stack);
}

LDX_ROUTINE void jump(unsigned long block, unsigned long stack)
{
	begin_sum(block, stack - 1);
}

/* When all within it have ended. */
LDX_ROUTINE void leave(unsigned long block)
{
	end_sum(block);
}

/* A child that forked does not know the calls of its parent. */
LDX_ROUTINE void leave_known(unsigned long block)
{
	if (ldx_data(ldx_open, [0]))
		end_sum(block);
}

/* Of a call by address. */
static inline __attribute__((always_inline)) uint64_t passed(uint16_t top)
{
	return ldx_data(clock, [0]) - ldx_data(starts, [top]);
}

static inline __attribute__((always_inline)) void end_found(uint16_t top)
{
	add(passed(top), (long)loaded(ldx_data(ldx_sums, [top])) - 1);
	ldx_data(ldx_open, [0])--;
}

static inline __attribute__((always_inline)) void leave_last(void)
{
	uint64_t sum = ldx_data(ldx_sums, [last()]);
	if ((int64_t)sum < 0)
		end_found(last());
	else
		end_sum((unsigned long)sum - 1);
}

/* Not 0: the last open call is one of what was called here. */
LDX_ROUTINE unsigned long is_over(unsigned long stack)
{
	return (unsigned long)((ldx_data(stacks, [last()]) - stack) >> 63);
}

static inline __attribute__((always_inline)) void leave_over(unsigned long stack)
{
	while (ldx_data(ldx_open, [0]) && ldx_data(stacks, [last()]) < stack)
		leave_last();
}

LDX_ROUTINE void end_over(unsigned long stack)
{
	leave_over(stack);
}

/* Of each site that calls by address, the last callees: where they are, and the sum as above. */
enum { WAYS = 16 }; /* as in calls.c */
LDX_THREAD struct {
	uint64_t to, sum;
} found[1][WAYS];		 /* calls.c sets the size */
LDX_THREAD uint64_t found_by[1]; /* where code is in the process that has found them */

/* Not 0: the callee is to be found, the call is not counted, and its sum is wrong. */
static inline __attribute__((always_inline)) unsigned long count(unsigned long site,
	unsigned long to, uint64_t *sum)
{
#ifdef LDX_SHARED /* another thread may change what is found */
	*sum = 0;
	return (void)site, (void)to, 1;
#else
	__typeof__(&ldx_data(found, [0][0])) of = ldx_data(found, [site]);
	unsigned long other = to, way = to / 16 % WAYS;
	__asm__("" : "+r"(of), "+r"(other)); /* a constant, and a copy */
	*sum = of[way].sum;
	__asm__("" : "+r"(of)); /* nor is the sum with a constant computed */
	other ^= (unsigned long)of[way].to;
	__asm__("" : "+r"(other)); /* and done with its registers */
	ldx_data(ldx_inclusive, [*sum - 2]) += !other;
	return other;
#endif
}

LDX_ROUTINE unsigned long count_found(unsigned long site, unsigned long to)
{
	uint64_t sum;
	return count(site, to, &sum);
}

static inline __attribute__((always_inline)) unsigned long begin_found(unsigned long site,
	unsigned long to, unsigned long stack)
{
	uint64_t sum;
	unsigned long other = count(site, to, &sum);
	uint16_t top = push(sum, stack);
	divide();
	ldx_data(starts, [top]) = ldx_data(clock, [0]);
	return other;
}

LDX_ROUTINE unsigned long call_found(unsigned long site, unsigned long to, unsigned long stack)
{
	return begin_found(site, to, stack);
}

LDX_ROUTINE unsigned long jump_found(unsigned long site, unsigned long to, unsigned long stack)
{
	return begin_found(site, to, stack - 1);
}

LDX_ROUTINE void find(unsigned long site, unsigned long to, unsigned long from, unsigned long block)
{
#ifndef LDX_SHARED
	const unsigned long way = to / 16 % WAYS;
	if (ldx_data(found, [site][way].to) == to)
		return;
#endif
	long distance = (long)(to - from);
	unsigned long key = distance == (int32_t)distance ? 2 * (unsigned long)distance + 1 : 2;
	size_t arc = ldx_find(ldx_arcs, ARCS, block + 1, key);
	long sum = ((long)((uintptr_t)&ldx_data(ldx_arcs, [arc].inclusive) -
			    (uintptr_t)&ldx_data(ldx_inclusive, [0])) >>
			   3) +
		1;
#ifndef LDX_SHARED
	ldx_data(found, [site][way].to) = to;
	ldx_data(found, [site][way].sum) = (uint64_t)sum;
#else
	(void)site;
#endif
	ldx_add(ldx_arcs, [arc].calls, 1);
	if (ldx_data(ldx_open, [0]))
		ldx_data(ldx_sums, [last()]) = (uint64_t)sum;
}

/* Not 0: what ends is not the call that returns. */
LDX_ROUTINE unsigned long leave_found(unsigned long stack)
{
	uint16_t top = last();
	unsigned long other = loaded(ldx_data(stacks, [top])) ^ stack;
	__asm__("" : "+r"(other)); /* done with its registers */
	end_found(top);
	return other;
}

/* Not 0: the last open call is not the one that returns. */
LDX_ROUTINE unsigned long is_other(unsigned long stack)
{
	return loaded(ldx_data(stacks, [last()])) ^ stack;
}

/* Not 0: what was called here, or behind a jump of this frame, has not ended. */
LDX_ROUTINE unsigned long is_astray(unsigned long stack)
{
	return (unsigned long)(~(stack - ldx_data(stacks, [last()])) >> 63);
}

enum { NO_BLOCK = UINT32_MAX };

/* Of a block's function: see group_of() in calls-functions.h. */
static uint32_t group(const uint8_t *groups, uint32_t block)
{
	const uint8_t *p = groups + 4 * (size_t)block;
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t block_of(uint64_t open)
{
	long sum = (long)loaded(ldx_data(ldx_sums, [(uint16_t) open]));
	return (uint32_t)(sum < 0 ? ldx_data(ldx_inclusive, [(long)loaded((uint64_t)sum - 4)])
				  : (uint64_t)sum) -
		1;
}

/* The lowest of the calls with a lower stack pointer, or with this in a group. */
static uint64_t lowest(const uint8_t *groups, uint64_t stack, uint32_t of)
{
	uint64_t k = ldx_data(ldx_open, [0]);
	for (; k; k--) {
		uint64_t at = ldx_data(stacks, [(uint16_t) k]);
		uint32_t block = block_of(k);
		if (at > stack || (at == stack && block != NO_BLOCK && group(groups, block) != of))
			break;
	}
	return k + 1;
}

/* Control lands in a frame that has called, or jumped to another part of its function. */
LDX_ROUTINE void landed(unsigned long stack, unsigned long of, const uint8_t *groups)
{
	uint64_t end = lowest(groups, stack, (uint32_t)of);
	while (ldx_data(ldx_open, [0]) >= end)
		leave_last();
}

static __attribute__((noinline)) void find_return(unsigned long stack, unsigned long block,
	const uint8_t *groups)
{
	uint64_t end = lowest(groups, stack, group(groups, (uint32_t)block));
	int mine = end <= ldx_data(ldx_open, [0]) && ldx_data(stacks, [(uint16_t) end]) == stack &&
		block_of(end) == block;
	while (ldx_data(ldx_open, [0]) >= end + (uint64_t)mine)
		leave_last();
	if (!mine)
		call(block, stack);
}

/*
 * A call returns: others have ended before it.  If it returns a second time, as setjmp does, the
 * one that its frame made since has ended instead.
 */
LDX_ROUTINE void returned(unsigned long stack, unsigned long block, const uint8_t *groups)
{
	leave_over(stack);
	if (ldx_data(stacks, [last()]) != stack || block_of(last()) != block ||
		ldx_data(stacks, [(uint16_t)(last() - 1)]) <= stack)
		find_return(stack, block, groups);
}

/* The same of a call by address, in whose place another one has ended. */
LDX_ROUTINE void returned_found(unsigned long stack, unsigned long block, const uint8_t *groups)
{
	ldx_data(ldx_open, [0])++;
	add(-passed(last()), (long)loaded(ldx_data(ldx_sums, [last()])) - 1);
	returned(stack, block, groups);
	leave_last();
}

LDX_ROUTINE void ended(void)
{
	while (ldx_data(ldx_open, [0]))
		leave_last();
	ldx_data(ldx_open, [2])--;
}

/* Addresses that another process has found are forgotten. */
static void begin_finding(unsigned long sites)
{
	uint64_t here = (uintptr_t)&call;
	if (ldx_data(found_by, [0]) == here)
		return;
	ldx_data(found_by, [0]) = here;
	for (unsigned long k = 0; k < sites; k++)
		for (unsigned long way = 0; way < WAYS; way++) {
			__asm__("" : "+r"(k)); /* compilers know of one */
			ldx_data(found, [k][way].to) = 0;
		}
}

/* The copy of the data may be one of a thread or process that has ended. */
static void begin_stack(unsigned long sites)
{
	begin_finding(sites);
	ldx_data(ldx_open, [1]) += ldx_data(ldx_open, [0]);
	ldx_data(ldx_open, [0]) = 0;
	ldx_data(ldx_open, [2])++;
	ldx_data(stacks, [0]) = INT64_MAX;
}

/* The clock that threads share is none. */
LDX_ROUTINE void began_thread(unsigned long sites)
{
#ifdef LDX_SHARED
	ldx_data(ldx_inexact, [0]) = 1;
#endif
	begin_stack(sites);
}

/* A child does not know the calls of its parent, which it was thought not to have. */
LDX_ROUTINE void forked(unsigned long nested, unsigned long sites)
{
	begin_stack(sites);
	if (nested) {
		ldx_data(ldx_open, [0]) = DEPTH / 2;
		ldx_data(ldx_inexact, [0]) = 1;
	}
}

LDX_ROUTINE void began(const uint64_t *known, unsigned long n, unsigned long sites)
{
	for (unsigned long k = 0; k < n; k++) {
		__asm__("" : "+r"(k)); /* compilers know of two words */
		ldx_data(ldx_known, [k]) = known[k];
	}
	begin_stack(sites);
}
