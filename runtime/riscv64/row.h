/* SPDX-License-Identifier: Apache-2.0 */
/* row.h - where a thread's row is: thread-local words, near the thread pointer as for emit.c */
#ifndef LDX_RUNTIME_ROW_H
#define LDX_RUNTIME_ROW_H

enum { ROW_PAGE = 1 << 12, ROW_BIAS = 1 << 11 };

#include "runtime/tls-row.h"

static volatile uint64_t *row_words(void)
{
	uint64_t *word;
	__asm__("addi %0, tp, %%tprel_lo(__ldx_row)" : "=r"(word));
	return word;
}

#endif
