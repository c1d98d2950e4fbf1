/* SPDX-License-Identifier: Apache-2.0 */
/* order-routines.c - notes a function's position, the first time that a process enters it */
#include <ldx/analysis.h>

enum { BLOCKS = 1 << 21 };

LDX_THREAD uint64_t position[1], processes[1]; /* by first block; order.c sets their sizes */
static uint32_t entered[BLOCKS], last;

LDX_ROUTINE void enter(unsigned long block)
{
	if (entered[block] || __atomic_exchange_n(&entered[block], 1, __ATOMIC_RELAXED))
		return;
	uint32_t now = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	ldx_add(position, [block], now);
	ldx_add(processes, [block], 1);
}
