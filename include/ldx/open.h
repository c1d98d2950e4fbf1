/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldx/open.h - the open calls of a thread, and what ends them: for the routines of a tool that asks
 * for ldx_follow_calls() (ldx/tool.h)
 *
 * A call is open from its start until it returns, a longjmp or an exception unwinds it, or its
 * thread or the process ends.  One of the files with routines includes this, and says what is done
 * then; call is the number of the block that it ends (ldx_block_id() in ldx/program.h):
 *
 *	LDX_BEGINS(call)
 *	{
 *		ldx_data(bytes, [call]) -= ldx_data(allocated, );
 *	}
 *	LDX_ENDS(call)
 *	{
 *		ldx_data(bytes, [call]) += ldx_data(allocated, );
 *	}
 *
 * In both, ldx_last_open() is the number of the call among the open ones, for arrays of
 * LDX_OPEN_CALLS.  Calls end in the reverse order.  A jump to another function is open until the
 * call around it ends.  Functions that are called from outside the object have no call.
 *
 * Where threads share the variables (LDX_SHARED), they are not told apart: then, or in a forked
 * process that goes on in calls that surely return once, the word of ldx_inexact is not 0; and the
 * first one of ldx_sums if too many calls were open at once.
 */
#ifndef LDX_OPEN_H
#define LDX_OPEN_H

#include <ldx/analysis.h>

#define LDX_BEGINS(call) LDX_INLINE_ void ldx_begins_(unsigned long call)
#define LDX_ENDS(call) LDX_INLINE_ void ldx_ends_(unsigned long call)
LDX_BEGINS(call);
LDX_ENDS(call);

/* A tool may keep negative numbers of its own: the call of one. */
#ifndef LDX_CALL_OF
#define LDX_CALL_OF(number) (number)
#endif

enum { LDX_OPEN_CALLS = 1 << 16 };
/* How many; those that were when their thread was stopped; threads. */
LDX_THREAD uint64_t ldx_open_calls[3];
LDX_THREAD_BY(maximum) uint64_t ldx_inexact[1];
/* From 1 on: the call's number and 1; the stack pointer, of a jump less 1. */
LDX_THREAD uint64_t ldx_sums[LDX_OPEN_CALLS];
LDX_THREAD uint64_t ldx_stacks[LDX_OPEN_CALLS];

LDX_INLINE_ uint16_t ldx_last_open(void)
{
	return (uint16_t)ldx_data(ldx_open_calls, [0]);
}

/* Computed with, in place of an argument, which may stay where it is. */
LDX_INLINE_ unsigned long ldx_loaded(uint64_t word)
{
	unsigned long n = (unsigned long)word;
	__asm__("" : "+r"(n));
	return n;
}

LDX_INLINE_ uint16_t ldx_push(uint64_t sum, unsigned long stack)
{
	ldx_data(ldx_open_calls, [0])++;
	uint16_t top = ldx_last_open();
	ldx_data(ldx_sums, [top]) = sum;
	ldx_data(ldx_stacks, [top]) = stack;
	__asm__("" : : : "memory"); /* what is behind it needs its registers */
	return top;
}

/* At a function's entry, with its stack pointer: is it what the last open call leads to? */
LDX_INLINE_ int ldx_is_callee(unsigned long stack)
{
	return ldx_data(ldx_open_calls, [0]) &&
		(long)(ldx_loaded(ldx_data(ldx_stacks, [ldx_last_open()])) - stack) <=
		(long)sizeof(long);
}

LDX_ROUTINE void ldx_open_call(unsigned long call, unsigned long stack)
{
	ldx_push(call + 1, stack);
	ldx_begins_(call);
}

LDX_ROUTINE void ldx_open_jump(unsigned long call, unsigned long stack)
{
	ldx_push(call + 1, stack - 1);
	ldx_begins_(call);
}

LDX_INLINE_ void ldx_end_(unsigned long call)
{
	if ((long)call < 0)
		__builtin_unreachable();
	ldx_ends_(call);
	ldx_data(ldx_open_calls, [0])--;
}

/* When all within it have ended. */
LDX_ROUTINE void ldx_end_call(unsigned long call)
{
	ldx_end_(call);
}

/* A child that forked does not know the calls of its parent. */
LDX_ROUTINE void ldx_end_known(unsigned long call)
{
	if (ldx_data(ldx_open_calls, [0]))
		ldx_end_(call);
}

LDX_INLINE_ void ldx_end_last(void)
{
	ldx_ends_((unsigned long)ldx_data(ldx_sums, [ldx_last_open()]) - 1);
	ldx_data(ldx_open_calls, [0])--;
}

/* Not 0: the last open call is one of what was called here. */
LDX_ROUTINE unsigned long ldx_is_over(unsigned long stack)
{
	return (unsigned long)((ldx_data(ldx_stacks, [ldx_last_open()]) - stack) >> 63);
}

LDX_INLINE_ void ldx_leave_over_(unsigned long stack)
{
	while (ldx_data(ldx_open_calls, [0]) && ldx_data(ldx_stacks, [ldx_last_open()]) < stack)
		ldx_end_last();
}

LDX_ROUTINE void ldx_end_over(unsigned long stack)
{
	ldx_leave_over_(stack);
}

/* Not 0: the last open call is not the one that returns. */
LDX_ROUTINE unsigned long ldx_is_other(unsigned long stack)
{
	return ldx_loaded(ldx_data(ldx_stacks, [ldx_last_open()])) ^ stack;
}

/* Not 0: what was called here, or behind a jump of this frame, has not ended. */
LDX_ROUTINE unsigned long ldx_is_astray(unsigned long stack)
{
	return (unsigned long)(~(stack - ldx_data(ldx_stacks, [ldx_last_open()])) >> 63);
}

/* Of a call's function: the same for all its parts. */
LDX_INLINE_ uint32_t ldx_group_(const uint8_t *groups, uint32_t call)
{
	const uint8_t *p = groups + 4 * (size_t)call;
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

LDX_INLINE_ uint32_t ldx_call_at_(uint64_t open)
{
	long number = (long)ldx_loaded(ldx_data(ldx_sums, [(uint16_t) open])) - 1;
	return (uint32_t)LDX_CALL_OF(number);
}

/* The lowest of the calls with a lower stack pointer, or with this in a group. */
static uint64_t ldx_lowest_(const uint8_t *groups, uint64_t stack, uint32_t group)
{
	uint64_t k = ldx_data(ldx_open_calls, [0]);
	for (; k; k--) {
		uint64_t at = ldx_data(ldx_stacks, [(uint16_t) k]);
		uint32_t call = ldx_call_at_(k);
		if (at > stack || (at == stack && ~call && ldx_group_(groups, call) != group))
			break;
	}
	return k + 1;
}

/* Control lands in a frame that has called, or jumped to another part of its function. */
LDX_ROUTINE void ldx_landed(unsigned long stack, unsigned long group, const uint8_t *groups)
{
	uint64_t end = ldx_lowest_(groups, stack, (uint32_t)group);
	while (ldx_data(ldx_open_calls, [0]) >= end)
		ldx_end_last();
}

static __attribute__((noinline)) void ldx_find_return_(unsigned long stack, unsigned long call,
	const uint8_t *groups)
{
	uint64_t end = ldx_lowest_(groups, stack, ldx_group_(groups, (uint32_t)call));
	int mine = end <= ldx_data(ldx_open_calls, [0]) &&
		ldx_data(ldx_stacks, [(uint16_t) end]) == stack && ldx_call_at_(end) == call;
	while (ldx_data(ldx_open_calls, [0]) >= end + (uint64_t)mine)
		ldx_end_last();
	if (!mine)
		ldx_open_call(call, stack);
}

/*
 * A call returns: others have ended before it.  If it returns a second time, as setjmp does, the
 * one that its frame made since has ended instead.
 */
LDX_ROUTINE void ldx_returned(unsigned long stack, unsigned long call, const uint8_t *groups)
{
	ldx_leave_over_(stack);
	uint16_t top = ldx_last_open();
	if (ldx_data(ldx_stacks, [top]) != stack || ldx_call_at_(top) != call ||
		ldx_data(ldx_stacks, [(uint16_t)(top - 1)]) <= stack)
		ldx_find_return_(stack, call, groups);
}

LDX_ROUTINE void ldx_ended(void)
{
	while (ldx_data(ldx_open_calls, [0]))
		ldx_end_last();
	ldx_data(ldx_open_calls, [2])--;
}

/* The copy of the data may be one of a thread or process that has ended. */
LDX_ROUTINE void ldx_began(void)
{
	ldx_data(ldx_open_calls, [1]) += ldx_data(ldx_open_calls, [0]);
	ldx_data(ldx_open_calls, [0]) = 0;
	ldx_data(ldx_open_calls, [2])++;
	ldx_data(ldx_stacks, [0]) = INT64_MAX;
}

LDX_ROUTINE void ldx_thread_began(void)
{
#ifdef LDX_SHARED
	ldx_data(ldx_inexact, [0]) = 1;
#endif
	ldx_began();
}

/* A child does not know the calls of its parent, which it was thought not to have. */
LDX_ROUTINE void ldx_forked(unsigned long nested)
{
	ldx_began();
	if (nested) {
		ldx_data(ldx_open_calls, [0]) = LDX_OPEN_CALLS / 2;
		ldx_data(ldx_inexact, [0]) = 1;
	}
}

#endif
