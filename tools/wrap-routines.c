/* SPDX-License-Identifier: Apache-2.0 */
/* wrap-routines.c - the time between a call and its return, which have the same stack pointer */
#include <ldx/analysis.h>
#include <ldx/sys.h>

LDX_THREAD uint64_t calls[1], returns[1], time[1]; /* by block; wrap.c sets their sizes */

enum { OPEN = 1 << 14 };
static struct {
	unsigned long stack;
	uint64_t since;
} open[OPEN];

static unsigned place(unsigned long stack)
{
	return (uint32_t)((stack >> 2) ^ (stack >> 12)) * 2654435761u >> 18;
}

LDX_ROUTINE void enter(unsigned long stack)
{
	unsigned i = place(stack);
	open[i].since = ldx_clock();
	open[i].stack = stack;
}

LDX_ROUTINE void leave(unsigned long stack, unsigned long block)
{
	unsigned i = place(stack);
	uint64_t since = open[i].since;
	if (open[i].stack != stack)
		return;
	open[i].stack = 0;
	ldx_add(time, [block], ldx_clock() - since);
	ldx_add(returns, [block], 1);
}
