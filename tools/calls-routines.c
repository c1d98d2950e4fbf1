/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls-routines.c - keeps the calls that are open, and adds up what is executed until they end
 *
 * A call in a call of the same place changes a sum that the outer one replaces, when it ends, by
 * the sum at its start and all that was executed since.
 */
#include <ldx/analysis.h>

LDX_THREAD uint64_t clock[1];

/*
 * Where the thread's last open call is, and the open calls: each has the stack pointer, whose sum
 * it adds to (above the block, an arc), and that sum - the clock, when it began.  The pointer of
 * jumps and of indirect calls is less by a number.
 */
enum { TOP = 1, SIZE = 4, END = SIZE + (SIZE << 14) };
enum { STACK, SUM, START };
enum { JUMP = 1, INDIRECT = 2, KINDS = 4 };
LDX_THREAD_BY(first) uint64_t open[END];

/* The interface of calls to ldxprof: see ldxprof(5). */
enum { ARCS = 1 << 14 };
LDX_THREAD uint64_t ldx_inclusive[1]; /* by block; calls.c sets the size */
LDX_THREAD_BY(maximum) uint64_t ldx_inexact[1];
LDX_THREAD_TABLE(2, 2) struct {
	uint64_t block, to, calls, inclusive;
} ldx_arcs[ARCS];

LDX_ROUTINE void call(unsigned long stack, unsigned long block)
{
	uint64_t top = ldx_data(open, [TOP]) + SIZE;
	if (top >= END)
		return;
	ldx_data(open, [TOP]) = top;
	ldx_data(open, [top + STACK]) = stack;
	ldx_data(open, [top + SUM]) = block;
	ldx_data(open, [top + START]) = ldx_data(ldx_inclusive, [block]) - ldx_data(clock, [0]);
}

/* Not 0: another call is the last open one. */
LDX_ROUTINE unsigned long leave(unsigned long stack)
{
	uint64_t top = ldx_data(open, [TOP]);
	if (ldx_data(open, [top + STACK]) != stack)
		return 1;
	uint64_t block = ldx_data(open, [top + SUM]);
	ldx_data(ldx_inclusive, [block]) = ldx_data(open, [top + START]) + ldx_data(clock, [0]);
	ldx_data(open, [TOP]) = top - SIZE;
	return 0;
}

LDX_ROUTINE void jump(unsigned long stack, unsigned long block)
{
	call(stack - KINDS + JUMP, block);
}

/* A call from a block, with its kind above that, of function `from'; kind 0: it is only counted. */
LDX_ROUTINE void indirect(unsigned long stack, unsigned long block, unsigned long to,
	unsigned long from)
{
	unsigned long kind = block >> 30 & (KINDS - 1);
	long distance = (long)(to - from);
	unsigned long key = distance == (int32_t)distance ? 2 * (unsigned long)distance + 1 : 2;
	block &= (1ul << 30) - 1;
	size_t arc = ldx_find(ldx_arcs, ARCS, block + 1, key);
	uint64_t top = ldx_data(open, [TOP]) + SIZE;
	ldx_add(ldx_arcs, [arc].calls, 1);
	if (top >= END || !kind)
		return;
	ldx_data(open, [TOP]) = top;
	ldx_data(open, [top + STACK]) = stack - KINDS + kind;
	ldx_data(open, [top + SUM]) = (uint64_t)arc << 32 | block;
	ldx_data(open, [top + START]) = ldx_data(ldx_arcs, [arc].inclusive) - ldx_data(clock, [0]);
}

static uint64_t lack_of(const uint8_t *p)
{
	uint32_t n = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	return (uint64_t)(int32_t)n;
}

/*
 * End all calls below the stack pointer, and at it those of blocks first to end.  A frame that is
 * not left by a return has not added what the clock lacks there: see ldx_clock().
 */
static void end_calls(uint64_t stack, uint64_t first, uint64_t end, int64_t lack,
	const uint8_t *lacks)
{
	uint64_t top = ldx_data(open, [TOP]), now = ldx_data(clock, [0]);
	for (; top; top -= SIZE) {
		uint64_t at = ldx_data(open, [top + STACK]), sum = ldx_data(open, [top + SUM]);
		uint64_t start = ldx_data(open, [top + START]);
		uint32_t block = (uint32_t)sum;
		if (at > stack || (at == stack && (block < first || block >= end)))
			break;
		if (at & INDIRECT)
			ldx_data(ldx_arcs, [sum >> 32].inclusive) = start + now;
		else
			ldx_data(ldx_inclusive, [block]) = start + now;
		if (!(at & JUMP))
			now += lack_of(lacks + 4 * block);
	}
	ldx_data(clock, [0]) = now - (uint64_t)lack;
	ldx_data(open, [TOP]) = top;
}

LDX_ROUTINE void returned(unsigned long stack, long lack, const uint8_t *lacks)
{
	end_calls(stack, 0, UINT32_MAX, lack, lacks);
}

LDX_ROUTINE void landed(unsigned long stack, unsigned long first, unsigned long end,
	const uint8_t *lacks)
{
	end_calls(stack, first, end, 0, lacks);
}

LDX_ROUTINE void ended(const uint8_t *lacks)
{
	end_calls(UINT64_MAX, 0, UINT32_MAX, 0, lacks);
}

/* The copy of the data may be one of a thread or process that was killed. */
LDX_ROUTINE void began(void)
{
	ldx_data(open, [TOP]) = 0;
}

/* The clock that threads share is none. */
LDX_ROUTINE void began_thread(void)
{
#ifdef LDX_SHARED
	ldx_data(ldx_inexact, [0]) = 1;
#endif
	began();
}
