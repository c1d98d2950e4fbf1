/* SPDX-License-Identifier: Apache-2.0 */
/* row.h - where a thread's row is: a thread-local word, near the thread pointer as for emit.c */
#include "runtime/tls-row.h"

static uint64_t row_read(void)
{
	uint64_t base;
	__asm__ volatile("ld %0, %%tprel_lo(__ldx_row)(tp)" : "=r"(base));
	return base;
}

static void row_write(uint64_t base)
{
	__asm__ volatile("sd %0, %%tprel_lo(__ldx_row)(tp)" ::"r"(base) : "memory");
}
